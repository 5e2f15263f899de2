/// A command of the table with its texts.
package struct ParsedCommand: Sendable {
    package let verb: Command
    /// The given texts by parameter name; "true" for a flag.
    package let texts: [String: [String]]

    package init(_ verb: Command, texts: [String: [String]]) {
        (self.verb, self.texts) = (verb, texts)
    }
}
