package import Verbs

/// What a command line asks for.
package enum Invocation: Sendable {
    case run(ParsedCommand)
    /// A text to print, because help was asked for or no verb was given.
    case help(String)
    /// A page for a file, which is the same in every locale and on every terminal.
    case page(String)
    /// What a shell can offer at its cursor, after a prefix that stays, with the options that came
    /// before it.
    case candidates(CompletedValue, prefix: String, ParsedCommand)
    case version
}
