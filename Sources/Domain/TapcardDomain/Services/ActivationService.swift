/// The port to the service that activates scratched codes.
///
/// Repeating a request with the same code is harmless, because the code is the key. So a request
/// whose answer got lost is sent again.
public protocol ActivationService: Sendable {
    /// Activates a code. An answer counts only if it is complete and valid.
    func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer
}

/// The service's answer to a code.
public enum ActivationAnswer: Hashable, Sendable {
    /// The service has activated the code.
    case active
    /// Refused, with a version that is not above 6.1.
    case refused(version: String)
}
