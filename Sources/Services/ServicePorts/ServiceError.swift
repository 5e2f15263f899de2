/// A service gave no answer, or none that means anything. Equal when the kinds are.
public struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can act on: each way in which an answer can be none.
    public enum Kind: String, Sendable, CaseIterable {
        /// Nobody answered: no network, no such name, nobody listens.
        case unreachable
        case timedOut = "timed-out"
        /// The other end is not who it should be.
        case certificate = "bad-certificate"
        /// The connection ended in the middle of the answer.
        case cutOff = "cut-off"
        case tooLarge = "too-large"
        case redirected
        /// What answers there does not speak HTTP, or breaks its rules.
        case notHTTP = "not-http"
        /// It said that the request is at fault: 4xx.
        case refused
        /// It said that it is broken: 5xx.
        case broken
        /// The token has expired, or is none of its own: log in again.
        case unauthorized
        case wrongPassword = "wrong-password"
        case notJSON = "not-json"
        /// JSON, but not of the documented form.
        case wrongShape = "wrong-shape"
        /// A list that only ever grows has lost its end: it is an old one, or begins anew.
        case goneBack = "gone-back"
        /// Nothing stands where a version should.
        case emptyVersion = "empty-version"
        case badVersion = "bad-version"
        case badBalls = "bad-balls"
        case badDate = "bad-date"
        /// The setting is no address of a service.
        case badAddress = "bad-address"
        /// This machine cannot make requests: libcurl is missing.
        case noClient = "no-client"
        /// The task that asked was cancelled.
        case cancelled
    }

    public let kind: Kind
    public let detail: String

    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    /// Whether it says something of the network or the service at this moment, so that it may be
    /// well when it is asked again.
    public var isPassing: Bool {
        switch kind {
        case .unreachable, .timedOut, .cutOff, .broken: true
        default: false
        }
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public var description: String { detail }
}
