/// A subject that the help explains next to the verbs, as in `tapcard help files`. A topic with
/// the name of a group of verbs introduces that group.
package struct Topic: Sendable {
    package let name: String
    /// A summary in one line.
    package let summary: String
    /// The content, made only when it is shown: the table of verbs is made at every start.
    private let make: @Sendable () -> [HelpPart]

    var parts: [HelpPart] { make() }

    init(
        _ name: String, _ summary: String,
        _ parts: @escaping @autoclosure @Sendable () -> [HelpPart]
    ) {
        (self.name, self.summary, make) = (name, summary, parts)
    }

    /// A topic of paragraphs alone, with empty lines between them.
    package init(_ name: String, _ summary: String, _ paragraphs: String) {
        self.init(name, summary, Topic.paragraphs(paragraphs))
    }

    var row: HelpPart.Row { (name, summary) }

    /// The paragraphs of a text, which has empty lines between them.
    static func paragraphs(_ text: String) -> [HelpPart] {
        text.split(separator: "\n\n").map { .paragraph(String($0)) }
    }
}

extension CommandTable {
    func topic(named name: String) -> Topic? { topics.first { $0.name == name } }
}
