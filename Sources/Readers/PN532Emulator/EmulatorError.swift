/// Why an emulated reader failed: a kind that callers can act on, and a message to display.
///
/// Two errors are equal if their kinds are.
public struct EmulatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failures that a caller can distinguish.
    public enum Kind: Sendable, Hashable {
        /// The system failed to provide a pseudo-terminal, socket, or thread.
        case system
        /// Something that must not be replaced exists at the path of the link or the socket.
        case occupied
        /// Another emulated reader is using the path.
        case busy
        /// The line is not a valid control command.
        case control
        /// A line was sent but got no response, so it may or may not have been executed.
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
        detail.isEmpty ? "the emulated reader failed" : detail
    }
}
