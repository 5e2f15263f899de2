public import TapcardDomain

/// A valid ticket, and the booking of its prize.
public struct ValidTicket: Hashable, Sendable {
    /// The ticket and its sale.
    public let sold: SoldTicket
    /// The operation that booked the ticket's prize; nil if there is none.
    public let claim: Operation?
    /// The status of the card whose tickets were requested; nil if no card was given. Only an
    /// active card can claim a prize.
    public let status: LedgerCard.Status?
    /// Whether no card can ever claim the ticket's prize, because the card that bought it and the
    /// cards that replaced that card were closed or reissued.
    public let isAbandoned: Bool
}

extension LedgerStore {
    /// The valid tickets bought with this card or with cards that it replaced, newest first; the
    /// tickets of all cards if none is given. Nil for a card that this ledger has never seen.
    public func tickets(of uid: CardUID?) async throws(LedgerError) -> [ValidTicket]? {
        try await read { rows throws(LedgerError) in
            guard let uid else {
                return try rows.validTickets(try rows.tickets(on: nil), nil).newestFirst
            }
            guard let card = try rows.card(uid) else { return nil }
            let sold = try rows.tickets(paidFrom: try rows.accounts(of: card))
            return try rows.validTickets(sold, card.status).newestFirst
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
            let sold = try rows.tickets(paidFrom: try rows.accounts(behind: purse))
            // A replaced card's tickets now belong to its replacement.
            guard !sold.isEmpty, try rows.successor(of: purse) == nil else { return [] }
            return try rows.validTickets(sold, nil).filter { $0.claim == nil }.newestFirst
                .map(\.sold.ticket)
        }
    }

    /// The ticket that an operation bought or is buying.
    public func ticket(of operation: OperationID) async throws(LedgerError) -> SoldTicket? {
        try await read { rows throws(LedgerError) in try rows.ticket(of: operation) }
    }
}

extension LedgerRows {
    /// The tickets whose purchase was completed. A ticket counts as abandoned if it has no claim
    /// and the account that paid for it is no longer in use.
    fileprivate func validTickets(
        _ sold: [SoldTicket], _ status: LedgerCard.Status?
    ) throws(LedgerError) -> [ValidTicket] {
        var valid: [ValidTicket] = []
        for ticket in sold where try operation(ticket.operation)?.state == .committed {
            let claim = try claim(of: ticket.ticket.id)
            let isClaimable = try isClaimable(ticket)
            valid.append(
                ValidTicket(
                    sold: ticket, claim: claim, status: status,
                    isAbandoned: claim == nil && !isClaimable))
        }
        return valid
    }

    /// Whether the account that paid for the ticket belongs to an active or blocked card.
    private func isClaimable(_ ticket: SoldTicket) throws(LedgerError) -> Bool {
        for entry in try entries(of: ticket.operation) where entry.account.uid != nil {
            if try isInUse(entry.account) { return true }
        }
        return false
    }

    /// The account whose tickets can no longer be claimed after this operation; nil if the
    /// operation ends no account.
    fileprivate func purse(endedBy operation: Operation) throws(LedgerError) -> Account? {
        guard operation.kind.makesCard || operation.kind == .close && operation.state == .committed
        else { return nil }
        // Each time a known card is reissued, a new account begins. If the card was closed
        // before that, the earlier account's tickets were abandoned at that point.
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
        paidFrom accounts: [Account]
    ) throws(LedgerError) -> [SoldTicket] {
        var found: [SoldTicket] = []
        var seen: Set<CardUID> = []
        // Several of the accounts may be on one card, whose tickets are read only once.
        for case .purse(let uid, _) in accounts where seen.insert(uid).inserted {
            for ticket in try tickets(on: uid) {
                // A reissued card may have tickets paid for from several accounts.
                let paidFrom = try entries(of: ticket.operation).map(\.account)
                if paidFrom.contains(where: accounts.contains) { found.append(ticket) }
            }
        }
        return found
    }
}

extension [ValidTicket] {
    /// The tickets, newest first. Of two sold at the same time, the one added later comes first.
    fileprivate var newestFirst: [ValidTicket] {
        enumerated().sorted { left, right in
            let (leftTime, rightTime) = (left.element.sold.boughtAt, right.element.sold.boughtAt)
            return leftTime == rightTime
                ? left.offset > right.offset : leftTime.milliseconds > rightTime.milliseconds
        }.map(\.element)
    }
}
