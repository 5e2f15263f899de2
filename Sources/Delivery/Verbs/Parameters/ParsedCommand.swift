/// A command of the table with its texts.
package struct ParsedCommand: Sendable {
    package let spec: CommandSpec
    /// The given texts by parameter name; "true" for a flag.
    package let texts: [String: [String]]

    package init(spec: CommandSpec, texts: [String: [String]]) {
        (self.spec, self.texts) = (spec, texts)
    }
}
