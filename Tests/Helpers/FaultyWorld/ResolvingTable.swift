import Cards
import Ledger
import TapcardCore
import TapcardDomain

extension RestingWorld {
    /// Whether every byte of the record that was made for an operation is on the tag.
    func shows(_ operation: Operation) -> Bool {
        guard operation.uid == uid,
            let bytes = ledger.issued[uid]?[operation.sequence]?.bytes
        else { return false }
        return records?.contains(bytes) ?? false
    }

    /// Checks one tap on a good card by a single station against the table of docs/EXACTLY-ONCE.md:
    /// what may become of a payment or payout that was open before.
    func resolvedOtherwise(
        than after: RestingWorld, _ request: StationRequest, _ trouble: LedgerTrouble
    ) -> [Violation] {
        guard let open, open.kind.isVoidable, card?.status == .active,
            let state = after.ledger.operations[open.id]?.state, state != .pending
        else { return [] }
        let isSameAgain = request.operation(in: ledger)?.id == open.id
        let age = Duration.milliseconds(Scene.now.millisecondsSince(open.beganAt))
        let isYoung = age < Station.Settings().paymentLifetime
        // What stands under a key that was given up proves nothing.
        let keyID = ledger.issued[uid]?[open.sequence]?.keyID
        let isProved = shows(open) && !(keyID.map(ledger.retiredKeyIDs.contains) ?? false)
        let expected: Operation.State =
            isSameAgain || (isProved && isYoung) ? .committed : .voided
        guard state != expected else { return [] }
        // A chip that has refused twice to be written is worn out: what it does not show is ended.
        if state == .voided, chip != nil, trouble.refusals > 1, !shows(open) { return [] }
        let words = [
            open.kind.rawValue, shows(open) ? "that the tag shows," : "that the tag does not show,",
            isYoung ? "young," : "old,", isSameAgain ? "asked for again," : "not asked for,",
            "is \(state.rawValue)",
        ]
        return [Violation(.i6, words.joined(separator: " "))]
    }
}

extension Invariant {
    /// I6, for one transaction: an operation that takes money off a card is booked only while the
    /// tag shows its record, and an end notes the balance that it left.
    static func endBroken(
        from before: LedgerTables, to after: LedgerTables, on tag: RestingWorld
    ) -> [Violation] {
        var found: [Violation] = []
        let isMaking = after.operations.contains { id, operation in
            operation.kind.makesCard && before.operations[id] == nil
        }
        for (id, operation) in after.operations
        where operation.state != .pending && before.operations[id]?.state != operation.state {
            if operation.state == .committed, operation.kind.isVoidable, !tag.shows(operation) {
                found.append(
                    Violation(.i6, "\(operation.kind.rawValue) was booked, and no tag shows it"))
            }
            // Making a card moves its balance once more, after the operation that it ends.
            if isMaking { continue }
            let purse = after.cards[operation.uid]?.purse
            let balance = after.entries.reduce(0) { $0 + ($1.account == purse ? $1.amount : 0) }
            if operation.balanceAfter != balance {
                found.append(
                    Violation(
                        .i6,
                        "\(operation.balanceAfter ?? 0) was noted as the balance after \(balance)"))
            }
        }
        return found
    }
}
