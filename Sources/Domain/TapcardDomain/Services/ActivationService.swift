/// The interface to the service that activates scratched codes.
///
/// Repeating a request with the same code is harmless, because the service identifies requests by
/// their code. A request whose response is lost is therefore sent again.
public protocol ActivationService: Sendable {
    /// Activates a code. Throws an error unless the response is complete and valid.
    func activate(_ code: ScratchCode) async throws(ServiceError) -> ActivationAnswer
}

/// The service's response to an activation request.
public enum ActivationAnswer: Hashable, Sendable {
    /// The service has activated the code.
    case active
    /// The service refused the code: it responded with version 6.1 or lower.
    case refused(version: String)
}
