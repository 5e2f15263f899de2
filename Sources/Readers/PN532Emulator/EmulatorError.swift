/// The reason why an emulated reader failed: a kind to act on, and words for people.
///
/// Two errors are equal when their kinds are.
public struct EmulatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The system provides no pseudo-terminal, socket or thread.
        case system
        /// The path of the link or of the socket holds something that must not be replaced.
        case occupied
        /// Another emulated reader uses the path.
        case busy
        /// The line is not part of the control language.
        case control
        /// A line was sent and not answered, so it may or may not have been carried out.
        case unanswered
    }

    public let kind: Kind
    public let detail: String

    public init(_ kind: Kind, _ detail: String = "") {
        self.kind = kind
        self.detail = detail
    }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }

    public var description: String {
        detail.isEmpty ? "the reader cannot do that" : detail
    }
}
