package import Verbs

extension CommandTable {
    /// The overview: every verb and group of verbs, and the topics.
    package func help() -> String {
        let tables = overview.map { HelpPart.table($0.group, $0.rows) }
        return text(
            [.line("Usage", "\(program) VERB [OPTIONS]"), .paragraph(summary)] + tables + [
                .table("Topics", topics.map(\.row)),
                .line("More", "\(program) VERB --help, \(program) help TOPIC"),
            ])
    }

    /// The help for a command, or for the verbs that begin with `path`.
    func help(at path: [String]) -> String {
        if path.isEmpty { return help() }
        if let command = command(at: path) { return help(for: command) }
        let verb = ([program] + path + ["VERB"]).joined(separator: " ")
        return text(
            [.line("Usage", "\(verb) [OPTIONS]")]
                + (topic(named: path.joined(separator: " "))?.parts ?? [])
                + [.table("Verbs", commands(below: path).map(\.row)), more("\(verb) --help, ")])
    }

    /// The help for a command, without the options that every command accepts.
    package func help(for command: CommandSpec) -> String {
        // A command such as `config` can also be the first word of other commands.
        let below = commands(below: command.path).map(\.row)
        return text(
            [.line("Usage", usage(of: command)), .paragraph(command.summary)]
                + Topic.paragraphs(command.discussion)
                + tables([("Arguments", command.arguments), ("Options", command.options)])
                + (below.isEmpty ? [] : [.table("Subcommands", below)])
                + [.line("Example", command.example), more()])
    }

    private func tables(_ tables: [(String, [CommandParameter])]) -> [HelpPart] {
        tables.filter { !$0.1.isEmpty }.map { .table($0, $1.map(\.row)) }
    }

    /// The help for a topic.
    func help(for topic: Topic) -> String {
        text([.paragraph("\(topic.name): \(topic.summary)")] + topic.parts)
    }

    /// The last line of a command's help, which points to the help on common options and exit
    /// statuses.
    private func more(_ first: String = "") -> HelpPart {
        .line("More", "\(first)\(program) help options, \(program) help exit-status")
    }

    /// The first word of each command, with a summary, grouped under the overview's headings.
    var overview: [(group: String, rows: [HelpPart.Row])] {
        let rows = rows(after: [])
        return distinct(commands.map(\.group)).compactMap { group in
            let own = rows.filter { row in
                commands.first { $0.path.first == row.term }?.group == group
            }
            return own.isEmpty ? nil : (group, own)
        }
    }

    /// The help topics that also appear in docs/COMMANDS.md.
    private static let common = ["options", "exit-status", "errors"]

    /// The contents of docs/COMMANDS.md.
    package func markdown() -> String {
        let origin =
            "`make docs` generates this page from the command table, so change the table instead."
        let chapters = commands.flatMap { command in
            [
                "## \(program) \(command.row.term)",
                "`\(usage(of: command))`, such as `\(command.example)`",
                command.summary + "."
                    + (command.discussion.isEmpty ? "" : " " + command.discussion),
            ]
                + tables([("Arguments and options", command.arguments + command.options)])
                .map(\.markdown)
        }
        let common = topics.filter { CommandTable.common.contains($0.name) }.flatMap { topic in
            ["## Help: \(topic.name)"] + topic.parts.map(\.markdown)
        }
        return joined(["# \(program) commands", summary, origin] + chapters + common)
    }

    func usage(of command: CommandSpec) -> String {
        let words = [program, command.row.term, "[OPTIONS]"] + command.arguments.map(\.term)
        return words.joined(separator: " ")
    }

    private func text(_ parts: [HelpPart]) -> String {
        // All tables have the same width, so that their columns line up.
        let width = parts.map(\.width).max() ?? 0
        return joined(parts.map { $0.text(width: width, columns: columns) })
    }

    private func joined(_ parts: [String]) -> String { parts.joined(separator: "\n\n") + "\n" }
}
