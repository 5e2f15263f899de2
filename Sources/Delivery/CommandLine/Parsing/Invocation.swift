package import Verbs

/// A parsed command line.
package enum Invocation: Sendable {
    /// A command, with its words by parameter name; "true" for a flag.
    case run(Command, [String: [String]])
    /// The help text, when help was requested or no verb was given.
    case help(String)
    /// The contents of a file, identical in every locale and on every terminal.
    case page(String)
    /// Candidates for the word at the shell's cursor, each after a fixed prefix, with the options
    /// given before that word.
    case candidates(CompletedValue, prefix: String, [String: [String]])
    case version
}
