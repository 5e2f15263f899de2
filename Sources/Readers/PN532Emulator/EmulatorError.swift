/// Why an emulated reader could not do what was asked: a kind to act on, and words for people.
///
/// Two errors are equal when their kinds are.
public struct EmulatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The system gives no pseudo-terminal, socket or thread.
        case system
        /// The path of the link or of the socket holds something that is not to be replaced.
        case occupied
        /// Another emulated reader uses the path.
        case busy
        /// A line that is none of the control language.
        case control
        /// A line was sent and not answered: whether it was carried out is not known.
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
        detail.isEmpty ? "the emulated reader cannot do that" : detail
    }
}
