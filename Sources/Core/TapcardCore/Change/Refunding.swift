import Ledger
public import TapcardDomain

extension Station {
    /// Gives back a payment, or takes back an addition whose cash leaves the drawer again: once, at
    /// most what was moved, and never below zero.
    ///
    /// Without an id of the caller's the id follows from the operation that is reversed, so that
    /// asking twice is the same request.
    public func refund(
        _ reversed: OperationID, _ amount: Money? = nil, id: OperationID? = nil,
        only card: CardUID? = nil
    ) async throws(TapcardError) -> Receipt {
        if let amount { try requirePositive(amount) }
        let known = try await whileAsking { () throws(LedgerError) in
            try await ledger.operation(reversed)
        }
        guard let known else {
            throw TapcardError(
                Refusal(.notRefundable, "this ledger knows no operation \(reversed)"))
        }
        if known.kind != .pay, known.kind != .add {
            throw TapcardError(
                .refusal(.notRefundable),
                "Operation \(reversed) is neither a payment nor a top-up.",
                meaning: TapcardError.unchanged, next: [.request(.insteadOfRefund(known.kind))],
                uid: known.uid)
        }
        let intent: Intent =
            known.kind == .add ? .reverse(of: reversed, amount) : .refund(of: reversed, amount)
        let derived = reversed.derived(for: "refund")
        do {
            // Any card may come: the rules know on which one the payer's money is now.
            return try await change(intent, id: id ?? derived, only: card)
        } catch {
            // Another amount under the id that both requests have: the operation is refunded.
            let isRefunded =
                error.kind == .refusal(.alreadyRefunded)
                || id == nil && error.kind == .operationMismatch
            if isRefunded, let earlier = await refundMade(of: reversed) {
                let refusal = TapcardError(earlier.isRefundAlready(of: reversed, currency))
                throw TapcardError(
                    refusal.kind, refusal.what, meaning: refusal.meaning, next: refusal.next,
                    uid: earlier.uid, operation: earlier.id)
            }
            guard known.kind == .add, error.kind == .refusal(.insufficientFunds) else {
                throw error
            }
            throw await shortOf(reversed, error.naming(known.uid))
        }
    }

    /// The refund that an operation had; nil where it had none, or nobody can be asked.
    private func refundMade(of reversed: OperationID) async -> Operation? {
        try? await ledger.read { rows throws(LedgerError) in try rows.refund(of: reversed) }
    }

    /// The error of a card that has less than is to be taken back: how much of it can be.
    private func shortOf(_ reversed: OperationID, _ error: TapcardError) async -> TapcardError {
        guard let uid = error.uid, let view = try? await ledger.view(of: uid) else { return error }
        guard view.balance.minorUnits > 0 else {
            return error.saying(next: [.request(.allSpent)])
        }
        return error.saying(
            next: [.request(.refundAtMost(reversed, view.balance))])
    }
}
