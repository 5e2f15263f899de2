/// A use case of a station, as a value that stores its progress. A copy of it between two steps is
/// a snapshot: from there it can go on in more than one way.
package protocol UseCase<Success>: Sendable, Hashable {
    associatedtype Success: Sendable

    /// Takes the next step; nil as long as another one is left.
    mutating func step(at station: Station) async throws(TapcardError) -> Success?
}

extension Station {
    /// Runs a use case to its end.
    func run<Case: UseCase>(_ useCase: Case) async throws(TapcardError) -> Case.Success {
        var useCase = useCase
        while true {
            if let success = try await useCase.step(at: self) { return success }
        }
    }
}
