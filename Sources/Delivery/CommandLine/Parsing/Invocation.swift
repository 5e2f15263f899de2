package import Verbs

/// A parsed command line.
package enum Invocation: Sendable {
    /// A command and the words for its parameters, keyed by parameter name; a flag's word is
    /// "true". `order` names the options in the order in which they were given.
    case run(Command, [String: [String]], order: [String])
    /// Help text to print, because help was requested or no verb was given.
    case help(String)
    /// The contents of a documentation file, which are the same in every locale and on every
    /// terminal.
    case page(String)
    /// A request for completion candidates: the kind of value, the prefix for each candidate, and
    /// the options given earlier on the command line.
    case candidates(CompletedValue, prefix: String, [String: [String]])
    case version
}
