public import TapcardDomain

/// A ticket that counts, and the booking of its prize.
public struct CountingTicket: Hashable, Sendable {
    public let sold: SoldTicket
    public let claim: Operation?
}

extension LedgerStore {
    /// The tickets that count, newest first: those that were bought with the money of this card,
    /// also on cards that it replaces; of all cards where none is named. Nil for a card this
    /// ledger never saw.
    public func tickets(of uid: CardUID?) async throws(LedgerError) -> [CountingTicket]? {
        try await read { rows throws(LedgerError) in
            let sold: [SoldTicket]
            if let uid {
                guard let card = try rows.card(uid) else { return nil }
                sold = try rows.tickets(boughtFrom: try rows.accounts(of: card))
            } else {
                sold = try rows.tickets(on: nil)
            }
            var counting: [CountingTicket] = []
            for ticket in sold {
                guard try rows.operation(ticket.operation)?.state == .committed else { continue }
                counting.append(
                    CountingTicket(sold: ticket, claim: try rows.claim(of: ticket.ticket.id)))
            }
            return counting.newestFirst
        }
    }

    /// The ticket that an operation has bought or is about to.
    public func ticket(of operation: OperationID) async throws(LedgerError) -> SoldTicket? {
        try await read { rows throws(LedgerError) in try rows.ticket(of: operation) }
    }
}

extension LedgerRows {
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
    /// Of two at one moment the one that was added later.
    fileprivate var newestFirst: [CountingTicket] {
        enumerated().sorted { left, right in
            let (ours, theirs) = (left.element.sold.boughtAt, right.element.sold.boughtAt)
            return ours == theirs
                ? left.offset > right.offset : ours.milliseconds > theirs.milliseconds
        }.map(\.element)
    }
}
