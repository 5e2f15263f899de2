/// A row of the command table: all that is known of one verb.
package struct CommandSpec: Sendable {
    /// The words that name it: `["pay"]`, `["tag", "info"]`.
    package let path: [String]
    /// What it does, in one line.
    package let summary: String
    /// Further paragraphs of the help, with an empty line between them.
    package let discussion: String
    package let arguments: [CommandArgument]
    package let options: [CommandOption]
    package let example: String
    /// The heading under which the overview lists it.
    package let group: String

    package init(
        path: [String], summary: String, discussion: String = "",
        arguments: [CommandArgument] = [], options: [CommandOption] = [], example: String,
        group: String
    ) {
        (self.path, self.summary, self.discussion) = (path, summary, discussion)
        (self.arguments, self.options) = (arguments, options)
        (self.example, self.group) = (example, group)
    }

    var row: (term: String, help: String) { (path.joined(separator: " "), summary) }
}
