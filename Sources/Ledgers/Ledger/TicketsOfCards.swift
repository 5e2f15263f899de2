public import TapcardDomain

/// A valid ticket, and the booking of its prize.
public struct CountingTicket: Hashable, Sendable {
    /// The ticket and its sale.
    public let sold: SoldTicket
    /// The operation that has booked its prize; nil without one.
    public let claim: Operation?
    /// The status of the card that was asked about: only an active one can claim. Nil if no card
    /// was named.
    public let status: LedgerCard.Status?
    /// Whether a card can never claim its prize any more: the one that bought it, and those that
    /// replaced it, were closed or issued again.
    public let isGivenUp: Bool
}

extension LedgerStore {
    /// The valid tickets, newest first, bought with the money of this card, including those of
    /// cards that it replaces; of all cards if none is named. Nil for a card this ledger never saw.
    public func tickets(of uid: CardUID?) async throws(LedgerError) -> [CountingTicket]? {
        try await read { rows throws(LedgerError) in
            guard let uid else {
                return try rows.counting(try rows.tickets(on: nil), nil).newestFirst
            }
            guard let card = try rows.card(uid) else { return nil }
            let sold = try rows.tickets(boughtFrom: try rows.accounts(of: card))
            return try rows.counting(sold, card.status).newestFirst
        }
    }

    /// The unclaimed tickets, newest first, that cannot be claimed any more after this operation,
    /// which closed a card or issued it again.
    public func ticketsGivenUp(
        by operation: OperationID
    ) async throws(LedgerError) -> [Ticket] {
        try await read { rows throws(LedgerError) in
            guard let operation = try rows.operation(operation),
                let purse = try rows.purse(endedBy: operation)
            else { return [] }
            let sold = try rows.tickets(boughtFrom: try rows.accounts(behind: purse))
            // The tickets of a replaced card passed to its replacement.
            guard !sold.isEmpty, try rows.successor(of: purse) == nil else { return [] }
            return try rows.counting(sold, nil).filter { $0.claim == nil }.newestFirst
                .map(\.sold.ticket)
        }
    }

    /// The ticket that an operation has bought or is about to buy.
    public func ticket(of operation: OperationID) async throws(LedgerError) -> SoldTicket? {
        try await read { rows throws(LedgerError) in try rows.ticket(of: operation) }
    }
}

extension LedgerRows {
    /// Selects the tickets whose purchase was completed, with whether each can be claimed: its
    /// account must be in use.
    fileprivate func counting(
        _ sold: [SoldTicket], _ status: LedgerCard.Status?
    ) throws(LedgerError) -> [CountingTicket] {
        var counting: [CountingTicket] = []
        for ticket in sold where try operation(ticket.operation)?.state == .committed {
            let claim = try claim(of: ticket.ticket.id)
            let isClaimable = try isClaimable(ticket)
            counting.append(
                CountingTicket(
                    sold: ticket, claim: claim, status: status,
                    isGivenUp: claim == nil && !isClaimable))
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

    /// The account whose tickets cannot be claimed any more after this operation. Each making of a
    /// known card begins the next account; a card that was closed before had given up its tickets
    /// then.
    fileprivate func purse(endedBy operation: Operation) throws(LedgerError) -> Account? {
        guard operation.kind.makesCard || operation.kind == .close && operation.state == .committed
        else { return nil }
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
        for case .purse(let uid, _) in accounts where seen.insert(uid).inserted {
            for ticket in try tickets(on: uid) {
                let paidFrom = try entries(of: ticket.operation).map(\.account)
                if paidFrom.contains(where: accounts.contains) { found.append(ticket) }
            }
        }
        return found
    }
}

extension [CountingTicket] {
    /// Sorts by time; of two at one moment the one that was added later comes first.
    fileprivate var newestFirst: [CountingTicket] {
        enumerated().sorted { left, right in
            let (ours, theirs) = (left.element.sold.boughtAt, right.element.sold.boughtAt)
            return ours == theirs
                ? left.offset > right.offset : ours.milliseconds > theirs.milliseconds
        }.map(\.element)
    }
}
