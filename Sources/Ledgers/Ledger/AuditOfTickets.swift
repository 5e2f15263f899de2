import TapcardDomain

/// What the rows of tickets and activations must be, beside all that holds of every operation.
struct TicketAuditor {
    let rows: any LedgerRows
    let operations: [OperationID: Operation]

    init(_ rows: any LedgerRows, _ operations: [Operation]) {
        self.rows = rows
        self.operations = Dictionary(operations.map { ($0.id, $0) }) { first, _ in first }
    }

    func violations(of cards: [LedgerCard]) throws(LedgerError) -> [String] {
        let sold = try rows.tickets(on: nil)
        return try sales(sold) + claims(sold) + shown(cards, sold) + activations(cards)
    }

    /// I12: a ticket is what its purchase has sold, at the price that was paid.
    private func sales(_ sold: [SoldTicket]) throws(LedgerError) -> [String] {
        var found: [String] = []
        for ticket in sold {
            let id = ticket.ticket.id
            guard let purchase = operations[ticket.operation], purchase.kind == .ticket,
                purchase.uid == ticket.card, purchase.subject == id.text,
                purchase.amount == ticket.price
            else {
                found.append("I12: ticket \(id) is not what operation \(ticket.operation) sold")
                continue
            }
            guard purchase.state == .committed else { continue }
            let paid = try rows.entries(of: purchase.id).first { $0.account == .takings }?.amount
            if paid != ticket.price {
                found.append("I12: ticket \(id) counts, but its price was not booked")
            }
        }
        let sales = Set(sold.map(\.operation))
        for purchase in operations.values where purchase.kind == .ticket {
            if !sales.contains(purchase.id) {
                found.append("I12: operation \(purchase.id) has sold no ticket")
            }
        }
        return found.sorted()
    }

    /// I12: a prize is booked once, from its account, for a ticket that counts.
    private func claims(_ sold: [SoldTicket]) throws(LedgerError) -> [String] {
        var found: [String] = []
        var claimed: Set<String> = []
        for claim in operations.values where claim.kind.booksPrize {
            let name = claim.subject ?? ""
            if !claimed.insert(name).inserted {
                found.append("I12: the prize of ticket \(name) is booked twice")
            }
            let ticket = sold.first { $0.ticket.id.text == name }
            if ticket.flatMap({ operations[$0.operation] })?.state != .committed {
                found.append("I12: ticket \(name) has a prize, but does not count")
            }
            let entries = try rows.entries(of: claim.id)
            if entries.first(where: { $0.account == .prizes })?.amount != -claim.amount {
                found.append("I12: operation \(claim.id) did not book its prize")
            }
            if let ticket, try !isOfBuyer(entries, claim, of: ticket) {
                found.append("I12: the prize of ticket \(name) went to another than who bought it")
            }
        }
        return found.sorted()
    }

    /// Whether a prize was booked onto the account that paid for the ticket, or onto one that its
    /// balance was moved to; where it was paid past the card, onto the drawer, on such a card.
    private func isOfBuyer(
        _ entries: [Entry], _ claim: Operation, of ticket: SoldTicket
    ) throws(LedgerError) -> Bool {
        let credited = entries.map(\.account).filter { $0 != .prizes }
        guard entries.count == 2, credited.count == 1 else { return false }
        let purses: Set<Account>
        if claim.kind == .payout {
            guard credited == [.cash] else { return false }
            purses = try accounts(of: claim.uid)
        } else {
            guard case .purse(claim.uid, _) = credited[0] else { return false }
            purses = Set(credited)
        }
        let paidFrom = try rows.entries(of: ticket.operation).map(\.account)
        for purse in purses {
            if try rows.accounts(behind: purse).contains(where: paidFrom.contains) { return true }
        }
        return false
    }

    /// All that a tag has ever had.
    private func accounts(of uid: CardUID) throws(LedgerError) -> Set<Account> {
        var accounts: Set<Account> = []
        for operation in try rows.operations(on: uid) {
            for case .purse(uid, let number) in try rows.entries(of: operation.id).map(\.account) {
                accounts.insert(.purse(uid, number))
            }
        }
        return accounts
    }

    /// I12: a card has none but a ticket that counts.
    private func shown(_ cards: [LedgerCard], _ sold: [SoldTicket]) -> [String] {
        cards.compactMap { card in
            guard let shown = card.ticket else { return nil }
            let ticket = sold.first { $0.ticket == shown }
            return ticket.flatMap({ operations[$0.operation] })?.state == .committed
                ? nil : "I12: card \(card.uid) has ticket \(shown.id), which does not count"
        }
    }

    /// I9: a code has one attempt that was not rejected, and nothing comes of an attempt without
    /// a yes.
    private func activations(_ cards: [LedgerCard]) throws(LedgerError) -> [String] {
        var found: [String] = []
        var codes: [ScratchCode: ActivationAttempt] = [:]
        for attempt in try rows.activations() {
            if (attempt.state == .requested) != (attempt.answeredAt == nil) {
                found.append("I9: attempt \(attempt.id) is \(attempt.state) at an unknown time")
            }
            if let operation = operations[attempt.id],
                operation.kind != .activate || attempt.state != .active
            {
                found.append("I9: operation \(operation.id) came of an attempt without a yes")
            }
            guard attempt.state != .rejected else { continue }
            if codes.updateValue(attempt, forKey: attempt.code) != nil {
                found.append("I9: code \(attempt.code) has two attempts")
            }
        }
        for card in cards {
            guard case .activated(let code) = card.scratch else { continue }
            if try !isActivated(card, by: codes[code]) {
                found.append("I9: card \(card.uid) was activated without a yes")
            }
        }
        return found + twins(cards)
    }

    /// Whether there is a yes behind an activated card: an attempt of its own; or the operation
    /// alone, from before there were attempts; or it came to this ledger like that, under a seal.
    /// What has happened to the cards that it replaces counts.
    private func isActivated(
        _ card: LedgerCard, by attempt: ActivationAttempt?
    ) throws(LedgerError) -> Bool {
        if let attempt, try rows.replaces(attempt.card, by: card) {
            return attempt.state == .active && operations[attempt.id] != nil
        }
        for case .purse(let uid, _) in try rows.accounts(of: card) {
            let kinds = try rows.operations(on: uid).map(\.kind)
            if kinds.contains(.activate) || kinds.contains(.adopt) { return true }
        }
        return false
    }

    /// I9: of two cards in use with one code, one is a copy.
    private func twins(_ cards: [LedgerCard]) -> [String] {
        var owners: [ScratchCode: CardUID] = [:]
        return cards.filter(\.isInUse).compactMap { card in
            guard let code = card.scratch.code,
                let other = owners.updateValue(card.uid, forKey: code)
            else { return nil }
            return "I9: cards \(other) and \(card.uid) have the same code"
        }
    }
}
