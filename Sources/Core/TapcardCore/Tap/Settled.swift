public import Ledger
public import TapcardDomain

/// An operation that an earlier tap had left open and that this tap brought to its end.
///
/// Nobody was told before how it ended, so whatever this tap answers has to say it.
public struct Settled: Sendable, Hashable {
    public let operation: Operation
    /// What it adds to the card's balance, or would have added; negative for a payment.
    public let amount: Money

    init(_ operation: Operation, _ currency: Currency) {
        self.operation = operation
        amount = operation.change(in: currency)
    }

    /// Whether it has happened; otherwise it was voided.
    public var isDone: Bool { operation.state == .committed }
}

extension Station {
    /// What a tap has settled, without the request that is answered for itself.
    func settled(_ state: TapState, besides request: OperationID? = nil) -> [Settled] {
        #if LEAVE_RULES_OUT
        if LeftOutRule.current == .settledIsTold { return [] }
        #endif
        return state.settled.filter { $0.id != request }.map { Settled($0, currency) }
    }
}
