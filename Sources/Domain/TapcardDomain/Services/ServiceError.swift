/// The reason why a service gave no usable answer. Equal when the kinds are.
public struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: String, Sendable, CaseIterable {
        /// No answer: no network, an unknown name, or a closed port.
        case offline
        /// The service gave no answer in time.
        case timedOut = "timed-out"
        /// The certificate is not that of the service.
        case certificate = "bad-certificate"
        /// The connection ended in the middle of the answer.
        case cutOff = "cut-off"
        /// The service's answer is too large.
        case tooLarge = "too-large"
        /// The service points to another address.
        case redirected
        /// The server does not use HTTP, or breaks its rules.
        case notHTTP = "not-http"
        /// The service rejected the request: 4xx.
        case refused
        /// The service reported an error of its own: 5xx.
        case broken
        /// The token has expired or is invalid: log in again.
        case unauthorized
        /// The service does not accept the password.
        case wrongPassword = "wrong-password"
        /// The service's answer is not JSON.
        case notJSON = "not-json"
        /// JSON, but not of the documented form.
        case wrongShape = "wrong-shape"
        /// A list that can only grow became shorter: it is outdated, or the lottery was restarted.
        case goneBack = "gone-back"
        /// The version is empty.
        case emptyVersion = "empty-version"
        /// The activation service's version makes no sense.
        case badVersion = "bad-version"
        /// The lottery's numbers make no sense.
        case badBalls = "bad-balls"
        /// The lottery's date makes no sense.
        case badDate = "bad-date"
        /// The setting is not an address of a service.
        case badAddress = "bad-address"
        /// This machine cannot make requests: libcurl is missing.
        case noClient = "no-client"
        /// The calling task was cancelled.
        case cancelled
    }

    /// The kind of failure, for code.
    public let kind: Kind
    /// The failure in a sentence, for people.
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
