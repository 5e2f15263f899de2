import Ledger
import TapcardDomain

/// The refusals of a request that looks like an earlier one.
extension Station {
    /// Refuses a request without an id that this tap has just settled: it is more likely a retry
    /// than a second payment.
    func justSettled(_ done: Operation) async -> TapcardError {
        let amount = Money(minorUnits: done.amount, currency).shown
        let view = try? await ledger.view(of: done.uid)
        let holds = view.map { " The card holds \($0.balance.shown)." } ?? ""
        return TapcardError(
            .justSettled,
            "The interrupted \(done.kind.noun) of \(amount) was just settled as "
                + "\(done.kind.done): it is not done a second time.",
            meaning: "It counts once.\(holds)",
            next: [.request(.onceMore)],
            uid: done.uid, operation: done.id)
    }

    func mismatch(_ operation: Operation) -> TapcardError {
        let amount =
            operation.amount == 0 ? "" : " \(Money(minorUnits: operation.amount, currency))"
        return TapcardError(
            .operationMismatch,
            "Operation \(operation.id) was used before, for another request: "
                + "\(operation.kind.rawValue)\(amount) on card \(operation.uid).",
            meaning: "Nothing was changed on card or ledger.",
            next: [.request(.useNewID)], uid: operation.uid,
            operation: operation.id)
    }

    func voided(_ operation: Operation) -> TapcardError {
        let (what, meaning) = operation.kind.notDone
        let amount = Money(minorUnits: abs(operation.amount), currency)
        return TapcardError(
            .operationVoided, what, meaning: meaning,
            next: [.request(.again(operation.kind, amount))],
            uid: operation.uid)
    }
}
