/// The port to a terminal with a user, whose keys can be read one by one.
public protocol InteractiveTerminal: Sendable {
    /// Asks for a line that is hidden while it is typed. Nil if the user cancelled.
    func askSecretly(_ question: String) async throws(TerminalError) -> String?

    /// Takes the whole screen while the body runs, and restores everything afterwards.
    func withScreen<Success: Sendable>(
        _ body: (any TerminalScreen) async -> Success
    ) async throws(TerminalError) -> Success
}

/// A full screen to draw on, and the keys pressed in the meantime.
public protocol TerminalScreen: Sendable {
    /// The events, which end when the terminal is gone.
    var events: AsyncStream<TerminalEvent> { get }

    /// Shows these lines from the first row on, and clears everything else.
    func show(_ lines: [String])
}

/// An event at a terminal.
public enum TerminalEvent: Hashable, Sendable {
    case key(TerminalKey)
    /// The screen has another size, or has to be drawn again.
    case changed
}

/// The reason why a terminal cannot be used. Two errors are equal when their kinds are.
public struct TerminalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// The terminal refuses, or does not exist.
        case unusable
        /// This process uses it already.
        case busy
    }

    public let kind: Kind
    public let detail: String

    public init(_ kind: Kind, _ detail: String) { (self.kind, self.detail) = (kind, detail) }

    public static func == (left: Self, right: Self) -> Bool { left.kind == right.kind }
    public var description: String { detail }
}
