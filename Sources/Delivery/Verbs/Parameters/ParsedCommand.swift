/// A command of the table together with the texts given to it.
package struct ParsedCommand: Sendable {
    package let spec: CommandSpec
    /// The texts of what was given, by the names of the parameters; "true" for a flag.
    package let texts: [String: [String]]

    package init(spec: CommandSpec, texts: [String: [String]]) {
        (self.spec, self.texts) = (spec, texts)
    }
}
