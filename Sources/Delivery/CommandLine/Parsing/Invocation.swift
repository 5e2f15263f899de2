package import Verbs

/// A parsed command line.
package enum Invocation: Sendable {
    case run(ParsedCommand)
    /// The help text, when help was requested or no verb was given.
    case help(String)
    /// The content of a file, identical in every locale and on every terminal.
    case page(String)
    /// Candidates for the shell's cursor, after a fixed prefix, with the options given before it.
    case candidates(CompletedValue, prefix: String, [String: [String]])
    case version
}
