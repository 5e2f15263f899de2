/// A row of the command table: all that is known of one verb.
package struct CommandSpec: Sendable {
    /// The words that name it: `["pay"]`, `["tag", "info"]`.
    package let path: [String]
    /// What it does, in one line.
    package let summary: String
    /// Further paragraphs of the help, with an empty line between them.
    package let discussion: String
    package let parameters: [CommandParameter]
    package let example: String
    /// The heading under which the overview lists it.
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
