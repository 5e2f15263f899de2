import BlockingLane
import Ledger
import TapcardDomain

/// A ledger that fails at one of its transactions, or from then on.
struct FaultyLedger: LedgerStore {
    enum Fault: CaseIterable, Sendable {
        /// The commit is done, the answer is lost on its way.
        case answerLost
        /// The request is lost, and nobody knows.
        case requestLost
        /// From now on every answer is lost.
        case answersLost
        /// From now on nobody answers at all, not even a question.
        case down
    }

    let ledger: any LedgerStore
    let fault: Fault
    /// How many transactions that write are still to come before the fault.
    private let left: Guarded<Int>

    init(_ ledger: any LedgerStore, _ fault: Fault, atWrite number: Int) {
        self.ledger = ledger
        self.fault = fault
        left = Guarded(number)
    }

    var hasFailed: Bool { left.withLock { $0 <= 0 } }
    var currency: Currency { ledger.currency }

    func read<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        if fault == .down && hasFailed { throw LedgerError(.unavailable, "the ledger is down") }
        return try await ledger.read(body)
    }

    func write<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        let number = left.withLock { left in
            left -= 1
            return left
        }
        let unknown = LedgerError(.outcomeUnknown, "the connection was cut during COMMIT")
        switch fault {
        case .answerLost where number == 0, .answersLost where number <= 0:
            _ = try await ledger.write(body)
            throw unknown
        case .requestLost where number == 0: throw unknown
        case .down where number <= 0: throw LedgerError(.unavailable, "the ledger is down")
        default: return try await ledger.write(body)
        }
    }
}
