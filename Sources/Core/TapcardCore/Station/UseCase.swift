import Ledger
import TapcardDomain

/// A use case of a station, as a value that stores its progress. A copy of it between two steps is
/// a snapshot: from there it can go on in more than one way.
package protocol UseCase<Success>: Sendable, Hashable {
    associatedtype Success: Sendable

    /// Takes the next step; nil as long as another one is left.
    mutating func step(at station: Station) async throws(TapcardError) -> Success?
}

extension UseCase {
    /// Takes every step.
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
