/// What somebody comes to a station for, as a value that remembers how far it has come.
///
/// A copy of it between two steps is a saved state: from there it can go on in more than one way.
package protocol UseCase<Success>: Sendable, Hashable {
    associatedtype Success: Sendable

    /// Does what comes next; nil as long as something is left to do.
    mutating func step(at station: Station) async throws(TapcardError) -> Success?
}

extension Station {
    /// Carries a use case out to its end.
    func run<Case: UseCase>(_ useCase: Case) async throws(TapcardError) -> Case.Success {
        var useCase = useCase
        while true {
            if let success = try await useCase.step(at: self) { return success }
        }
    }
}
