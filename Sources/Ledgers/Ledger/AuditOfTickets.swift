import TapcardDomain

/// I12: the rules for tickets, for prizes, and for the ticket shown on a card, in addition to the
/// rules for all operations.
extension AuditedCard {
    /// Each purchase has a ticket. Each prize is booked once, for a valid ticket, and goes to the
    /// buyer.
    func tickets(of operation: Operation) throws(LedgerError) -> [String] {
        if operation.kind == .ticket {
            return try rows.ticket(of: operation.id) == nil
                ? ["I12: purchase \(operation.id) has no ticket"] : []
        }
        guard operation.kind.recordsPrize else { return [] }
        var found: [String] = []
        let id = operation.ticketID
        let name = id?.text ?? "none"
        // The query returns only one claim. If there are two, one of them is not the result.
        if let id, let claim = try rows.claim(of: id), claim.id != operation.id {
            found.append("I12: the prize of ticket \(name) is booked twice")
        }
        let ticket = try id.flatMap { id throws(LedgerError) in try rows.ticket(id) }
        if try ticket.map(isValid) != true {
            found.append("I12: ticket \(name) has a prize but is void")
        }
        if let ticket, try !isForPayer(of: ticket.operation) {
            found.append("I12: prize for ticket \(name) went to a card other than the buyer's")
        }
        return found
    }

    /// Each ticket matches its purchase, and its price is the amount paid.
    func ticketsSold() throws(LedgerError) -> [String] {
        var found: [String] = []
        for ticket in try rows.tickets(on: uid) {
            let matchesPurchase = try rows.operation(ticket.operation).map { purchase in
                purchase.kind == .ticket && purchase.uid == ticket.card
                    && purchase.subject == .ticket(ticket.ticket)
                    && purchase.amount == ticket.price
            }
            // This is nil if the purchase is missing, which is also a violation.
            if matchesPurchase != true {
                let id = ticket.ticket.id
                found.append(
                    "I12: ticket \(id) differs from what operation \(ticket.operation) sold")
            }
        }
        return found
    }

    /// A card shows only its last valid ticket, bought with it or with a card that it replaced.
    func ticketShown(on card: LedgerCard) throws(LedgerError) -> [String] {
        if let shown = card.ticket {
            let sold = try rows.ticket(shown.id)
            guard let sold, sold.ticket == shown, try isValid(sold) else {
                return ["I12: card \(uid) shows ticket \(shown.id), which is void"]
            }
        }
        // Without operations, there is no trace to compare the card with.
        guard operations > 0, card.ticket?.id != trace.ticket else { return [] }
        let (shown, last) = (card.ticket?.id.text, trace.ticket?.text)
        return [
            "I12: card \(uid): ticket shown is \(shown ?? "none"), last ticket bought is "
                + (last ?? "none")
        ]
    }

    private func isValid(_ ticket: SoldTicket) throws(LedgerError) -> Bool {
        try rows.operation(ticket.operation)?.state == .committed
    }
}
