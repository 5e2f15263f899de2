/// The port to a terminal with a person at it, whose keys can be read one by one.
public protocol InteractiveTerminal: Sendable {
    /// Asks for a line that is not shown while it is typed; nil where it was given up.
    func askSecretly(_ question: String) async throws(TerminalError) -> String?

    /// Takes the whole screen as long as the body runs, and puts everything back afterwards.
    func withScreen<Success: Sendable>(
        _ body: (any TerminalScreen) async -> Success
    ) async throws(TerminalError) -> Success
}

/// A whole screen to paint on, and the keys that are pressed meanwhile.
public protocol TerminalScreen: Sendable {
    /// Ends when the terminal has gone.
    var events: AsyncStream<TerminalEvent> { get }

    /// Shows these lines, from the first row on, and nothing else.
    func show(_ lines: [String])
}

/// What happens at a terminal.
public enum TerminalEvent: Hashable, Sendable {
    case key(TerminalKey)
    /// It has another size, or has to be painted anew.
    case changed
}

/// Why a terminal cannot be had. Two errors are equal when their kinds are.
public struct TerminalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// It refuses, or is none.
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
