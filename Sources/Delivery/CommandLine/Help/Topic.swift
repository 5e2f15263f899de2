/// A subject that the help explains in addition to the verbs, as in `tapcard help files`. A topic
/// with the same name as a group of verbs introduces that group.
package struct Topic: Sendable {
    package let name: String
    /// A one-line summary.
    package let summary: String
    /// Creates the content, which is needed only when the topic is shown.
    private let make: @Sendable () -> [HelpPart]

    var parts: [HelpPart] { make() }

    init(
        _ name: String, _ summary: String,
        _ parts: @escaping @autoclosure @Sendable () -> [HelpPart]
    ) {
        (self.name, self.summary, make) = (name, summary, parts)
    }

    /// A topic that consists only of paragraphs, separated by empty lines.
    package init(_ name: String, _ summary: String, _ paragraphs: String) {
        self.init(name, summary, Topic.paragraphs(paragraphs))
    }

    var row: HelpPart.Row { (name, summary) }

    /// Splits text into paragraphs at empty lines.
    static func paragraphs(_ text: String) -> [HelpPart] {
        text.split(separator: "\n\n").map { .paragraph(String($0)) }
    }
}

extension CommandTable {
    func topic(named name: String) -> Topic? { topics.first { $0.name == name } }
}
