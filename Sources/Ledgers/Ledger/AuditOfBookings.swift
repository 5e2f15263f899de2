import TapcardDomain

/// The rules for the entries that each operation must have.
extension AuditedCard {
    /// I6, and I12 for tickets and prizes: only changes that happened are booked, each in the way
    /// its kind requires.
    func bookings(
        of operation: Operation, _ entries: [Entry]
    ) throws(LedgerError) -> [String] {
        var found: [String] = []
        let booked = entries.map { Posting(account: $0.account, amount: $0.amount) }
        if booked.reduce(0, { $0 &+ $1.amount }) != 0 {
            found.append("I1: entries of operation \(operation.id) do not sum to 0")
        }
        let reversed = try operation.reverses.flatMap { id throws(LedgerError) in
            try rows.operation(id)
        }
        let expected = expected(of: operation, entries, reversing: reversed)
        if expected.map({ Posting.areSame(booked, $0) }) != true {
            let concernsTicket = operation.kind == .ticket || operation.kind.recordsPrize
            let rule = concernsTicket ? "I12" : "I6"
            found.append(
                "\(rule): operation \(operation.id) does not have the entries that its kind "
                    + "\(operation.kind) requires"
            )
        }
        found += saleViolations(operation)
        if [.refund, .reverse].contains(operation.kind), try !isRefundToPayer(operation) {
            found.append(
                "I6: \(operation.kind) \(operation.id) went to another payer or exceeds what was "
                    + "paid")
        }
        return found
    }

    /// I15: the lines of a sale add up to its amount.
    private func saleViolations(_ operation: Operation) -> [String] {
        guard !operation.lines.isEmpty else { return [] }
        let isSale =
            operation.kind == .pay || operation.kind == .offline || operation.kind == .credit
        let amount = operation.kind == .credit ? -operation.amount : operation.amount
        if isSale, Sale(operation.lines, rest: operation.rest).addsUp(to: amount) { return [] }
        return ["I15: the lines of operation \(operation.id) do not add up to its amount"]
    }

    /// The card's account at the time of the operation being checked.
    private var purse: Account { .purse(uid, trace.account) }

    /// Whether the operation being checked is on the account that made a payment, or on an account
    /// that received that account's balance.
    func isForPayer(of payment: OperationID) throws(LedgerError) -> Bool {
        let paidFrom = try rows.entries(of: payment).map(\.account)
        if paidFrom.contains(purse) { return true }
        return try rows.accounts(behind: purse).contains(where: paidFrom.contains)
    }

    private func isRefundToPayer(_ refund: Operation) throws(LedgerError) -> Bool {
        guard let id = refund.reverses, let payment = try rows.operation(id),
            refund.kind == .reverse
                ? payment.kind == .add : payment.kind == .pay || payment.kind == .offline,
            payment.state == .committed, refund.amount <= (try rows.amountPaid(by: payment))
        else { return false }
        return try isForPayer(of: id)
    }

    /// The entries that an operation must have: empty if it did not happen, nil if no entries could
    /// be correct.
    private func expected(
        of operation: Operation, _ entries: [Entry], reversing reversed: Operation?
    ) -> [Posting]? {
        guard operation.hasHappened else { return [] }
        let amount = operation.amount
        switch operation.kind {
        case .pay, .ticket: return operation.payment(from: purse)
        case .credit: return Posting.move(amount, from: .takings, to: purse)
        case .offline:
            // The part that the balance covered depends on what was open on the card at the time,
            // so any part is accepted.
            let paid = entries.first { $0.account == purse }.map { -$0.amount } ?? 0
            // An altered row may contain any amount, even a negative one.
            guard paid >= 0, paid <= amount else { return nil }
            return Posting.move(paid, from: purse, to: .takings)
                + Posting.move(amount - paid, from: .shortfall, to: .takings)
        case .close: return Posting.move(amount, from: purse, to: .cash)
        case .add: return Posting.move(amount, from: Account(operation.tender), to: purse)
        case .refund:
            return Posting.move(amount, from: .takings, to: purse)
                + operation.restReturned(from: reversed)
        case .reverse:
            return Posting.move(amount, from: purse, to: Account(reversed?.tender ?? .cash))
        case .claim: return Posting.move(amount, from: .prizes, to: purse)
        case .payout: return Posting.move(amount, from: .prizes, to: .cash)
        case .issue:
            return Posting.move(amount, from: .cash, to: purse) + closing(entries)
        case .adopt:
            return Posting.move(amount, from: .adopted, to: purse) + closing(entries)
        case .replace:
            // Without an entry for the lost card, no entries could be correct.
            return entries.lost(by: operation).map {
                Posting.pair(amount, from: $0, to: purse) + closing(entries)
            }
        case .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect, .block, .unblock,
            .forget:
            return []
        }
    }

    /// The entries that empty the tag's earlier account; none if there was nothing to move.
    private func closing(_ entries: [Entry]) -> [Posting] {
        // Only a reissued tag has an earlier account.
        guard trace.account > 1,
            let left = entries.first(where: { $0.account == .reissued })?.amount, left > 0
        else { return [] }
        return Posting.move(left, from: .purse(uid, trace.account - 1), to: .reissued)
    }
}

extension Operation {
    /// The entries that return what was not paid with the card; only a full refund has any.
    fileprivate func restReturned(from payment: Operation?) -> [Posting] {
        guard let payment, let rest = payment.rest, amount == payment.amount else { return [] }
        return Posting.move(rest.amount, from: .takings, to: Account(rest.tender))
    }
}

extension Posting {
    /// Whether two lists contain the same bookings in any order.
    fileprivate static func areSame(_ these: [Posting], _ those: [Posting]) -> Bool {
        Dictionary(grouping: these) { $0 } == Dictionary(grouping: those) { $0 }
    }
}
