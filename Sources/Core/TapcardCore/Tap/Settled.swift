public import Ledger
public import TapcardDomain

/// An operation that an earlier tap had left open and that this tap brought to its end.
///
/// Nobody was told before how it ended, so whatever this tap answers has to say it.
public struct Settled: Sendable, Hashable {
    public let operation: Operation
    /// The amount that it adds to the balance, or would have added; negative for a payment.
    public let amount: Money
    /// The balance of the tag's earlier account that it closed.
    public let closed: Money

    init(_ operation: Operation, closed: Int64 = 0, _ currency: Currency) {
        self.operation = operation
        amount = operation.change(in: currency)
        self.closed = Money(minorUnits: closed, currency)
    }

    /// Whether it has happened; otherwise it was voided.
    public var isDone: Bool { operation.state == .committed }
}

extension Station {
    /// The operations that a tap settled, without the request, which has its own answer.
    func settled(_ history: TapHistory, besides request: OperationID? = nil) -> [Settled] {
        #if LEAVE_RULES_OUT
        if LeftOutRule.current == .settledIsTold { return [] }
        #endif
        return history.settled.filter { $0.id != request }.map {
            Settled($0, closed: history.closed[$0.id] ?? 0, currency)
        }
    }

    /// What a making closed with the account that its tag had before. The making is not denied
    /// where the ledger goes away after it.
    func balanceClosed(by making: Operation) async -> Int64 {
        guard making.kind.makesCard else { return 0 }
        return
            (try? await ledger.read { rows throws(LedgerError) in
                try rows.balanceClosed(by: making)
            }) ?? 0
    }
}
