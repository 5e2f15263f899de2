/// Why a service did not give a usable answer. Equal when their kinds are.
public struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: String, Sendable, CaseIterable {
        /// No answer: no network, an unknown name, or a closed port.
        case offline
        /// The service did not answer in time.
        case timedOut = "timed-out"
        /// The certificate does not belong to the service.
        case certificate = "bad-certificate"
        /// The connection ended in the middle of the answer.
        case cutOff = "cut-off"
        /// The service's answer is too large.
        case tooLarge = "too-large"
        /// The service redirects to another address.
        case redirected
        /// The server does not use HTTP, or violates its rules.
        case notHTTP = "not-http"
        /// The service rejected the request: 4xx.
        case refused
        /// The service reported an internal error: 5xx.
        case broken
        /// The token has expired or is invalid: log in again.
        case unauthorized
        /// The service rejected the password.
        case wrongPassword = "wrong-password"
        /// The service's answer is not JSON.
        case notJSON = "not-json"
        /// The answer is JSON, but not in the documented form.
        case wrongShape = "wrong-shape"
        /// A list that can only grow has become shorter: it is outdated, or the lottery was
        /// restarted.
        case goneBack = "gone-back"
        /// The version is empty.
        case emptyVersion = "empty-version"
        /// The activation service's version makes no sense.
        case badVersion = "bad-version"
        /// The lottery's numbers make no sense.
        case badBalls = "bad-balls"
        /// The lottery's date makes no sense.
        case badDate = "bad-date"
        /// The setting is not a valid address for a service.
        case badAddress = "bad-address"
        /// This machine cannot make requests: libcurl is missing.
        case noClient = "no-client"
        /// The calling task was canceled.
        case cancelled
    }

    /// The kind of failure, for code to act on.
    public let kind: Kind
    /// A sentence for people that describes the failure.
    public let detail: String

    /// Creates an error.
    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    /// Whether the failure is temporary, so that a retry may succeed.
    public var isPassing: Bool {
        switch kind {
        case .offline, .timedOut, .cutOff, .broken: true
        default: false
        }
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public var description: String { detail }
}
