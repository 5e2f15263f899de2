/// Why a service did not give a usable response. Two errors are equal if their kinds are equal.
public struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failures that a caller can distinguish.
    public enum Kind: String, Sendable, CaseIterable {
        /// The service could not be reached: no network, an unknown name, or a closed port.
        case offline
        /// The service did not respond in time.
        case timedOut = "timed-out"
        /// The certificate does not belong to the service.
        case certificate = "bad-certificate"
        /// The connection ended in the middle of the response.
        case cutOff = "cut-off"
        /// The service's response is too large.
        case tooLarge = "too-large"
        /// The service redirected the request to another address.
        case redirected
        /// The server does not speak HTTP or violates the protocol.
        case notHTTP = "not-http"
        /// The service rejected the request (status 4xx).
        case refused
        /// The service reported an internal error (status 5xx).
        case broken
        /// The token is invalid or has expired, so the caller has to log in again.
        case unauthorized
        /// The service rejected the password.
        case wrongPassword = "wrong-password"
        /// The service's response is not JSON.
        case notJSON = "not-json"
        /// The response is JSON, but does not have the documented structure.
        case wrongShape = "wrong-shape"
        /// The list of draws should only grow, but it lacks draws that it had before. It is
        /// outdated, or the lottery was reset.
        case goneBack = "gone-back"
        /// The activation service's version is empty.
        case emptyVersion = "empty-version"
        /// The activation service's version is invalid.
        case badVersion = "bad-version"
        /// Ball numbers from the lottery are invalid.
        case badBalls = "bad-balls"
        /// A date from a service is invalid.
        case badDate = "bad-date"
        /// The setting is not a valid address for a service.
        case badAddress = "bad-address"
        /// This machine cannot make requests, because libcurl is missing or unusable.
        case noClient = "no-client"
        /// The calling task was canceled.
        case cancelled
    }

    /// The kind of failure, for code to act on.
    public let kind: Kind
    /// A sentence that describes the failure to the user.
    public let detail: String
    /// Whether the request was certainly not sent.
    package private(set) var isUnsent = false
    /// What has to be checked first; nil if that is not known.
    package private(set) var cause: Cause?

    /// The part of a connection that failed.
    package enum Cause: Sendable {
        case hostName, connection, proxy
        /// The certificate has expired or is not valid yet, or this machine's clock is wrong.
        case certificateDates
        /// The server has another key than the one that it is recognized by.
        case pinnedKey
    }

    /// Creates an error.
    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    /// This error, for a request that was certainly not sent.
    package var unsent: ServiceError {
        var error = self
        error.isUnsent = true
        return error
    }

    /// This error with its cause.
    package func because(of cause: Cause) -> ServiceError {
        var error = self
        error.cause = cause
        return error
    }

    /// Whether the failure may be temporary, in which case a retry may succeed.
    public var isTemporary: Bool {
        switch kind {
        case .offline, .timedOut, .cutOff, .broken: true
        default: false
        }
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public var description: String { detail }
}
