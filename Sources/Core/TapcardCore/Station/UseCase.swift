import Ledger
import TapcardDomain

/// A use case at a station. It is a value that keeps track of its own progress, so a copy made
/// between two steps can be continued differently.
package protocol UseCase<Success>: Sendable, Hashable {
    associatedtype Success: Sendable

    /// Takes the next step. Returns nil if there are more steps to take.
    mutating func step(at station: Station) async throws(TapcardError) -> Success?
}

extension UseCase {
    /// Runs the use case to its end.
    func run(at station: Station) async throws(TapcardError) -> Success {
        var useCase = self
        while true {
            if let success = try await useCase.step(at: station) { return success }
        }
    }
}

/// Queries the ledger outside of a tap, translating its errors.
package func queryingLedger<Success: Sendable>(
    _ question: @autoclosure () async throws(LedgerError) -> Success
) async throws(TapcardError) -> Success {
    try await translating(awaiting: try await question()) { (error: LedgerError) in
        TapcardError(error)
    }
}
