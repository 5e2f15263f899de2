import TapcardDomain

/// What the rows of tickets must be, beside all that holds of every operation.
extension AuditedLedger {
    /// I12: what is sold, what is won, and what cards show of it.
    func tickets() throws(LedgerError) -> [String] {
        let purchases = Dictionary(operations.map { ($0.id, $0) }) { first, _ in first }
        return try sales(purchases) + claims(purchases) + shown(purchases)
    }

    /// A ticket is what its purchase has sold, at the price that was paid.
    private func sales(_ purchases: [OperationID: Operation]) -> [String] {
        var found: [String] = []
        for ticket in sold {
            let isAsSold = purchases[ticket.operation].map { purchase in
                purchase.kind == .ticket && purchase.uid == ticket.card
                    && purchase.subject == ticket.ticket.subject
                    && purchase.amount == ticket.price
            }
            if isAsSold != true {
                let id = ticket.ticket.id
                found.append("I12: ticket \(id) is not what operation \(ticket.operation) sold")
            }
        }
        let sales = Set(sold.map(\.operation))
        for purchase in operations where purchase.kind == .ticket {
            if !sales.contains(purchase.id) {
                found.append("I12: operation \(purchase.id) has sold no ticket")
            }
        }
        return found
    }

    /// A prize is claimed once, for a ticket that counts, by who bought it.
    private func claims(
        _ purchases: [OperationID: Operation]
    ) throws(LedgerError) -> [String] {
        var found: [String] = []
        var claimed: Set<String> = []
        let tickets = Dictionary(sold.map { ($0.ticket.id.text, $0) }) { first, _ in first }
        for claim in operations where claim.kind.booksPrize {
            let name = claim.subject ?? ""
            if !claimed.insert(name).inserted {
                found.append("I12: the prize of ticket \(name) is booked twice")
            }
            let ticket = tickets[name]
            if ticket.flatMap({ purchases[$0.operation] })?.state != .committed {
                found.append("I12: ticket \(name) has a prize, but does not count")
            }
            if let ticket, try !isForPayer(claim, of: ticket.operation) {
                found.append("I12: the prize of ticket \(name) went to another than who bought it")
            }
        }
        return found
    }

    /// A card has none but the last ticket that counts, and was bought with it or with the one
    /// that it replaces.
    private func shown(_ purchases: [OperationID: Operation]) -> [String] {
        var found: [String] = []
        for card in cards {
            let ticket = sold.first { $0.ticket == card.ticket }
            if let shown = card.ticket,
                ticket.flatMap({ purchases[$0.operation] })?.state != .committed
            {
                found.append("I12: card \(card.uid) has ticket \(shown.id), which does not count")
            } else if let trace = traces.cards[card.uid], card.ticket?.id != trace.ticket {
                let (shown, last) = (card.ticket?.id.text, trace.ticket?.text)
                found.append(
                    "I12: card \(card.uid) has ticket \(shown ?? "none"), its last is "
                        + (last ?? "none"))
            }
        }
        return found
    }
}
