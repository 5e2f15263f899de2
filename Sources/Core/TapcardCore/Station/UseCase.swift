import Ledger
import TapcardDomain

/// A use case for a station, as a value that keeps track of its progress. A copy made between two
/// steps can be continued in more than one way.
package protocol UseCase<Success>: Sendable, Hashable {
    associatedtype Success: Sendable

    /// Takes the next step; nil while there are more.
    mutating func step(at station: Station) async throws(TapcardError) -> Success?
}

extension UseCase {
    /// Takes all steps.
    func run(at station: Station) async throws(TapcardError) -> Success {
        var useCase = self
        while true {
            if let success = try await useCase.step(at: station) { return success }
        }
    }
}

/// Asks the ledger outside of a tap.
package func whileAsking<Success: Sendable>(
    _ question: @autoclosure () async throws(LedgerError) -> Success
) async throws(TapcardError) -> Success {
    try await translating(awaiting: try await question()) { (error: LedgerError) in
        TapcardError(error)
    }
}
