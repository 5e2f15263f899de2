/// The description of one verb in the command table.
package struct CommandSpec: Sendable {
    /// The words of the verb: `["pay"]`, `["tag", "info"]`.
    package let path: [String]
    /// A one-line summary.
    package let summary: String
    /// More paragraphs for the help, separated by empty lines.
    package let discussion: String
    package let parameters: [CommandParameter]
    package let example: String
    /// The heading in the overview.
    package let group: String

    package init(
        path: [String], summary: String, discussion: String = "",
        parameters: [CommandParameter] = [], example: String, group: String
    ) {
        (self.path, self.summary, self.discussion) = (path, summary, discussion)
        (self.parameters, self.example, self.group) = (parameters, example, group)
    }

    package var arguments: [CommandParameter] { parameters.filter(\.isArgument) }
    package var options: [CommandParameter] { parameters.filter(\.isOption) }

    package var row: (term: String, help: String) { (path.joined(separator: " "), summary) }
}
