package import Verbs

extension CommandTable {
    /// The overview: every verb, the global options, the exit statuses.
    package func help() -> String { help(at: []) }

    /// The full help of a command; for the global options it refers to the overview.
    package func help(for command: CommandSpec) -> String {
        text(parts(of: command) + [.line("Global options", "\(program) --help")])
    }

    /// The help of a command, or the overview of the verbs that begin with `path`.
    func help(at path: [String]) -> String {
        if let command = command(at: path) { return help(for: command) }
        let below = commands(below: path)
        let tables = distinct(below.map(\.group)).map { group in
            HelpPart.table(group, below.filter { $0.group == group }.map(\.row))
        }
        let verb = ([program] + path + ["VERB"]).joined(separator: " ")
        let usage = HelpPart.line("Usage", "\(verb) [OPTIONS]")
        let about = topic(named: path.joined(separator: " "))?.parts ?? [.paragraph(summary)]
        let end = path.isEmpty ? topicTable : []
        return text(
            [usage] + about + tables + common + end + [.line("More", "\(verb) --help")])
    }

    /// The help of a topic.
    func help(for topic: Topic) -> String {
        text([.paragraph("\(topic.name): \(topic.summary)")] + topic.parts)
    }

    private var topicTable: [HelpPart] {
        topics.isEmpty ? [] : [.table("Topics of \(program) help", topics.map(\.row))]
    }

    /// The content of docs/COMMANDS.md.
    package func markdown() -> String {
        let origin = "`make docs` makes this page from the command table: change that instead."
        let chapters = commands.flatMap { command in
            ["## \(program) \(command.row.term)"] + parts(of: command).map(\.markdown)
        }
        let start = ["# Commands of \(program)", summary, origin] + chapters
        let errors = topic(named: "errors").map { ["## Errors"] + $0.parts.map(\.markdown) } ?? []
        return joined(
            start + ["## All commands"] + (common + topicTable).map(\.markdown) + errors)
    }

    private func parts(of command: CommandSpec) -> [HelpPart] {
        let paragraphs = [command.summary[...]] + command.discussion.split(separator: "\n\n")
        let tables = [
            ("Arguments", command.arguments.map(\.row)), ("Options", command.options.map(\.row)),
            ("Further verbs", commands(below: command.path).map(\.row)),
        ]
        return [.line("Usage", usage(of: command))]
            + paragraphs.map { .paragraph(String($0)) }
            + tables.filter { !$0.1.isEmpty }.map { .table($0, $1) }
            + [.line("Example", command.example)]
    }

    func usage(of command: CommandSpec) -> String {
        let words = [program, command.row.term, "[OPTIONS]"] + command.arguments.map(\.term)
        return words.joined(separator: " ")
    }

    private var common: [HelpPart] {
        [.table("Global options", globals.map(\.row)), .exitStatuses(exitStatuses)]
    }

    private func text(_ parts: [HelpPart]) -> String {
        let width = parts.map(\.width).max() ?? 0
        return joined(parts.map { $0.text(width: width, columns: columns) })
    }

    private func joined(_ parts: [String]) -> String { parts.joined(separator: "\n\n") + "\n" }
}
