public import TapcardDomain

/// The port to the service that activates scratched codes.
///
/// Asking again with the same code is harmless: the code is the key. So an answer that was lost
/// on the way is asked for once more.
public protocol ActivationService: Sendable {
    func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer
}

/// What the service said of a code.
public enum ActivationAnswer: Hashable, Sendable {
    case active
    /// It said no, and which version it named instead of one that is new enough.
    case refused(version: String)
}
