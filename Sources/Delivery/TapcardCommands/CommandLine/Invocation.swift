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

/// A command of the table together with the texts given to it.
package struct ParsedCommand: Sendable {
    package let spec: CommandSpec
    /// The texts of what was given, by the names of the parameters; "true" for a flag.
    package let texts: [String: [String]]
}
