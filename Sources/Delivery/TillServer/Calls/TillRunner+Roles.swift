import Ledger
import TapcardCore
import TapcardDomain
import Verbs

/// What the role check needs to know about the station and its ledger.
extension TillRunner {
    /// The largest amount that a cashier may refund or pay out.
    func cashierRefundLimit() throws(TapcardError) -> Money {
        try settings.cashierRefundLimit(currency)
    }

    /// The amount in a request; nil if it is malformed.
    func amount(_ text: String) -> Money? { try? settings.amount(text, currency) }

    /// What matters about a recorded operation: who made it and when, whether it took a payment,
    /// its amount in minor units, and the part that was not paid with the card.
    typealias Recorded = (
        cashier: CashierName?, at: Timestamp, isSale: Bool, amount: Int64, rest: Int64
    )

    /// The operation with this ID; nil if the ledger has none.
    func recorded(_ id: OperationID) async throws(Problem) -> Recorded? {
        try await reading { rows throws(LedgerError) in
            if let known = try rows.operation(id) {
                let isSale = [.pay, .offline].contains(known.kind)
                return (
                    known.cashier, known.beganAt, isSale, known.amount, known.rest?.amount ?? 0
                )
            }
            return try rows.cardless(id).map { known in
                (known.cashier, known.at, known.kind == .sale, abs(known.paid), 0)
            }
        }
    }

    /// The balance of a card in minor units; 0 for an unknown card.
    func balance(of uid: CardUID) async throws(Problem) -> Int64 {
        try await reading { rows throws(LedgerError) in
            guard let card = try rows.card(uid) else { return 0 }
            return try rows.balance(of: .purse(uid, card.account))
        }
    }

    private func reading<Value: Sendable>(
        _ read: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Value
    ) async throws(Problem) -> Value {
        try await translating(awaiting: await ledger.read(read)) { (error: LedgerError) in
            Problem(TapcardError(error))
        }
    }
}
