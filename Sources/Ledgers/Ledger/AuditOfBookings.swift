import TapcardDomain

/// What every operation must have booked, from where to where.
extension AuditedLedger {
    /// I6, and I12 for tickets and prizes: only what has happened is booked, and as its kind is.
    func bookings() throws(LedgerError) -> [String] {
        var found: [String] = []
        for operation in operations {
            let booked = (entries[operation.id] ?? []).map {
                Posting(account: $0.account, amount: $0.amount)
            }
            if booked.reduce(0, { $0 &+ $1.amount }) != 0 {
                found.append("I1: the entries of operation \(operation.id) do not add up to 0")
            }
            if !Posting.areSame(booked, expected(of: operation)) {
                let isOfTicket = operation.kind == .ticket || operation.kind.booksPrize
                let rule = isOfTicket ? "I12" : "I6"
                found.append(
                    "\(rule): operation \(operation.id) is not booked like any other \(operation.kind)"
                )
            }
            if [.refund, .reverse].contains(operation.kind), try !isRefundToPayer(operation) {
                found.append(
                    "I6: \(operation.kind) \(operation.id) went to another than who paid, or is more"
                )
            }
        }
        return found
    }

    /// I6: a card is what its operations have made of it, and nothing belongs to none.
    func cardsAndTheirRows() -> [String] {
        var found: [String] = []
        for card in cards {
            guard let trace = traces.cards[card.uid] else { continue }
            if trace.account != card.account {
                found.append(
                    "I6: card \(card.uid) is on account \(card.account), and was made "
                        + "\(trace.account) times")
            }
            if trace.status != card.status {
                found.append(
                    "I6: card \(card.uid) is \(card.status), and its operations leave it "
                        + "\(trace.status)")
            }
        }
        let known = Set(operations.map(\.id))
        found += entries.keys.filter { !known.contains($0) }.map {
            "I6: there are entries of operation \($0), and no such operation"
        }.sorted()
        let uids = Set(cards.map(\.uid))
        found += Set(operations.map(\.uid) + attempts.map(\.card)).subtracting(uids).map {
            "I6: operations or attempts are of card \($0), and there is no such card"
        }.sorted()
        return found
    }

    /// Whether what an operation books is for who paid for something: it is about the account that
    /// paid, or one that its balance was moved to.
    func isForPayer(
        _ operation: Operation, of payment: OperationID
    ) throws(LedgerError) -> Bool {
        guard let purse = traces.purses[operation.id] else { return false }
        let paidFrom = (entries[payment] ?? []).map(\.account)
        if paidFrom.contains(purse) { return true }
        return try rows.accounts(behind: purse).contains(where: paidFrom.contains)
    }

    private func isRefundToPayer(_ refund: Operation) throws(LedgerError) -> Bool {
        guard let id = refund.reverses, let payment = try rows.operation(id),
            payment.kind == (refund.kind == .reverse ? .add : .pay),
            payment.state == .committed, refund.amount <= payment.amount
        else { return false }
        return try isForPayer(refund, of: id)
    }

    private func expected(of operation: Operation) -> [Posting] {
        guard operation.hasHappened, let purse = traces.purses[operation.id] else { return [] }
        let amount = operation.amount
        switch operation.kind {
        case .pay, .ticket: return Posting.move(amount, from: purse, to: .takings)
        case .close: return Posting.move(amount, from: purse, to: .cash)
        case .add: return Posting.move(amount, from: .cash, to: purse)
        case .refund: return Posting.move(amount, from: .takings, to: purse)
        case .reverse: return Posting.move(amount, from: purse, to: .cash)
        case .claim: return Posting.move(amount, from: .prizes, to: purse)
        case .payout: return Posting.move(amount, from: .prizes, to: .cash)
        case .issue:
            return Posting.move(amount, from: .cash, to: purse) + closing(before: operation)
        case .adopt:
            return Posting.move(amount, from: .adopted, to: purse) + closing(before: operation)
        case .replace:
            // Earlier releases booked no pair where nothing was moved.
            let moved = traces.lost[operation.id].map { Posting.pair(amount, from: $0, to: purse) }
            return (moved ?? []) + closing(before: operation)
        case .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect, .block, .unblock,
            .forget:
            return []
        }
    }

    /// What was left on the account that a making has closed, where the tag was a card before.
    private func closing(before making: Operation) -> [Posting] {
        guard case .purse(let uid, let number)? = traces.purses[making.id], number > 1,
            let left = entries[making.id]?.first(where: { $0.account == .reissued })?.amount,
            left > 0
        else { return [] }
        return Posting.move(left, from: .purse(uid, number - 1), to: .reissued)
    }
}

extension Posting {
    /// The same bookings in any order.
    fileprivate static func areSame(_ these: [Posting], _ those: [Posting]) -> Bool {
        Dictionary(grouping: these) { $0 } == Dictionary(grouping: those) { $0 }
    }
}
