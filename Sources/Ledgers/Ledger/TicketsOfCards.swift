public import TapcardDomain

/// A valid ticket, and the booking of its prize.
public struct ValidTicket: Hashable, Sendable {
    /// The ticket and its sale.
    public let sold: SoldTicket
    /// The operation that booked its prize; nil if there is none.
    public let claim: Operation?
    /// The status of the card whose tickets were requested, because only an active card can claim;
    /// nil if no card was given.
    public let status: LedgerCard.Status?
    /// Whether no card can ever claim its prize: the card that bought it, and those that replaced
    /// it, were closed or reissued.
    public let isAbandoned: Bool
}

extension LedgerStore {
    /// The valid tickets bought with this card or with cards that it replaced, newest first; those
    /// of all cards if none is given. Nil for a card that this ledger has never seen.
    public func tickets(of uid: CardUID?) async throws(LedgerError) -> [ValidTicket]? {
        try await read { rows throws(LedgerError) in
            guard let uid else {
                return try rows.counting(try rows.tickets(on: nil), nil).newestFirst
            }
            guard let card = try rows.card(uid) else { return nil }
            let sold = try rows.tickets(boughtFrom: try rows.accounts(of: card))
            return try rows.counting(sold, card.status).newestFirst
        }
    }

    /// The unclaimed tickets, newest first, that can no longer be claimed after this operation,
    /// which closed or reissued a card.
    public func ticketsGivenUp(
        by operation: OperationID
    ) async throws(LedgerError) -> [Ticket] {
        try await read { rows throws(LedgerError) in
            guard let operation = try rows.operation(operation),
                let purse = try rows.purse(endedBy: operation)
            else { return [] }
            let sold = try rows.tickets(boughtFrom: try rows.accounts(behind: purse))
            // A replaced card's tickets were passed on to its replacement.
            guard !sold.isEmpty, try rows.successor(of: purse) == nil else { return [] }
            return try rows.counting(sold, nil).filter { $0.claim == nil }.newestFirst
                .map(\.sold.ticket)
        }
    }

    /// The ticket that an operation bought or is buying.
    public func ticket(of operation: OperationID) async throws(LedgerError) -> SoldTicket? {
        try await read { rows throws(LedgerError) in try rows.ticket(of: operation) }
    }
}

extension LedgerRows {
    /// The tickets whose purchase was completed. A ticket is given up if it has no claim and the
    /// account that paid for it is no longer in use.
    fileprivate func counting(
        _ sold: [SoldTicket], _ status: LedgerCard.Status?
    ) throws(LedgerError) -> [ValidTicket] {
        var counting: [ValidTicket] = []
        for ticket in sold where try operation(ticket.operation)?.state == .committed {
            let claim = try claim(of: ticket.ticket.id)
            let isClaimable = try isClaimable(ticket)
            counting.append(
                ValidTicket(
                    sold: ticket, claim: claim, status: status,
                    isAbandoned: claim == nil && !isClaimable))
        }
        return counting
    }

    /// Whether the ticket was paid from an account whose money is on a card in use.
    private func isClaimable(_ ticket: SoldTicket) throws(LedgerError) -> Bool {
        for entry in try entries(of: ticket.operation) where entry.account.uid != nil {
            if try isInUse(entry.account) { return true }
        }
        return false
    }

    /// The account whose tickets can no longer be claimed after this operation; nil if it ends
    /// none.
    fileprivate func purse(endedBy operation: Operation) throws(LedgerError) -> Account? {
        guard operation.kind.makesCard || operation.kind == .close && operation.state == .committed
        else { return nil }
        // Each time a known card is made again, the next account begins. If the card was closed
        // before that, the tickets of the earlier account were given up at that point.
        var account = 0
        var isOpen = false
        for earlier in try operations(on: operation.uid) {
            if earlier.id == operation.id { break }
            if earlier.kind.makesCard { (account, isOpen) = (account + 1, true) }
            if earlier.kind == .close, earlier.state == .committed { isOpen = false }
        }
        return isOpen ? .purse(operation.uid, account) : nil
    }

    fileprivate func tickets(
        boughtFrom accounts: [Account]
    ) throws(LedgerError) -> [SoldTicket] {
        var found: [SoldTicket] = []
        var seen: Set<CardUID> = []
        // Several of the accounts may be on one card, whose tickets are read only once.
        for case .purse(let uid, _) in accounts where seen.insert(uid).inserted {
            for ticket in try tickets(on: uid) {
                // A reissued card may have sold tickets from several accounts.
                let paidFrom = try entries(of: ticket.operation).map(\.account)
                if paidFrom.contains(where: accounts.contains) { found.append(ticket) }
            }
        }
        return found
    }
}

extension [ValidTicket] {
    /// Sorts by time; if two are from the same moment, the one added later comes first.
    fileprivate var newestFirst: [ValidTicket] {
        enumerated().sorted { left, right in
            let (ours, theirs) = (left.element.sold.boughtAt, right.element.sold.boughtAt)
            return ours == theirs
                ? left.offset > right.offset : ours.milliseconds > theirs.milliseconds
        }.map(\.element)
    }
}
