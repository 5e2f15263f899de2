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
        let intent: Intent =
            known.kind == .add ? .reverse(of: reversed, amount) : .refund(of: reversed, amount)
        let derived = reversed.derived(for: "refund")
        do {
            // Any card may come: the rules know on which one the payer's money is now.
            return try await change(intent, id: id ?? derived, only: card)
        } catch {
            // Another amount under the id that both requests have: the operation is refunded.
            guard id == nil, error.kind == .operationMismatch,
                let earlier = try? await ledger.operation(derived), earlier.reverses == reversed
            else { throw error }
            throw TapcardError(
                earlier.isRefundAlready(of: reversed, currency), uid: earlier.uid)
        }
    }
}
