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
        let start: [HelpPart] = [.line("Usage", "\(verb) [OPTIONS]"), .paragraph(summary)]
        return text(start + tables + common + [.line("More", "\(verb) --help")])
    }

    /// The content of docs/COMMANDS.md.
    package func markdown() -> String {
        let origin = "`make docs` makes this page from the command table: change that instead."
        let chapters = commands.flatMap { command in
            ["## \(program) \(command.row.term)"] + parts(of: command).map(\.markdown)
        }
        let start = ["# Commands of \(program)", summary, origin] + chapters
        return joined(start + ["## All commands"] + common.map(\.markdown))
    }

    private func parts(of command: CommandSpec) -> [HelpPart] {
        let words = [program, command.row.term, "[OPTIONS]"] + command.arguments.map(\.term)
        let paragraphs = [command.summary[...]] + command.discussion.split(separator: "\n\n")
        let tables = [
            ("Arguments", command.arguments.map(\.row)), ("Options", command.options.map(\.row)),
            ("Further verbs", commands(below: command.path).map(\.row)),
        ]
        return [.line("Usage", words.joined(separator: " "))]
            + paragraphs.map { .paragraph(String($0)) }
            + tables.filter { !$0.1.isEmpty }.map { .table($0, $1) }
            + [.line("Example", command.example)]
    }

    private var common: [HelpPart] {
        let statuses = exitStatuses.map { (term: "\($0.status)", help: $0.meaning) }
        return [.table("Global options", globals.map(\.row)), .table("Exit status", statuses)]
    }

    private func text(_ parts: [HelpPart]) -> String {
        let width = parts.map(\.width).max() ?? 0
        return joined(parts.map { $0.text(width: width, columns: columns) })
    }

    private func joined(_ parts: [String]) -> String { parts.joined(separator: "\n\n") + "\n" }
}
