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

/// A service gave no answer, or none that means anything. Equal when the kinds are.
public struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can act on.
    public enum Kind: String, Sendable, CaseIterable {
        case unreachable
        case timedOut = "timed-out"
        case badAnswer = "bad-answer"
    }

    public let kind: Kind
    public let detail: String

    public init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public var description: String { "\(kind.rawValue): \(detail)" }
}
