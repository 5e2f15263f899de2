package import Verbs

/// The table of commands, from which parsing, help, completions, and docs/COMMANDS.md are derived.
package struct CommandTable: Sendable {
    package let program: String
    package let summary: String
    /// The options that every command accepts; `--help` and `--version` are added to them.
    package let globals: [CommandParameter]
    let verbs: [Command]
    package let commands: [CommandSpec]
    /// Words that users may type instead of a verb, each mapped to that verb.
    package let synonyms: [String: String]
    /// The subjects that the help explains in addition to the verbs.
    package var topics: [Topic] {
        let options = HelpPart.table("Options", globals.map(\.row))
        return [Topic("options", "options that every verb takes", [options])] + makeTopics()
    }
    private let makeTopics: @Sendable () -> [Topic]
    /// The date of the commit that the program was built from, for the manual; empty if unknown.
    let date: String
    private(set) var columns = CommandTable.defaultColumns

    private static let defaultColumns = 100
    /// A narrower terminal wraps the lines itself.
    private static let minimumColumns = 40

    package init(
        program: String, summary: String, globals: [CommandParameter], commands verbs: [Command],
        synonyms: [String: String] = [:],
        topics: @autoclosure @escaping @Sendable () -> [Topic] = [], date: String = ""
    ) {
        let help = CommandParameter("help", .flag, short: "h", help: "Show help and exit")
        let version = CommandParameter("version", .flag, help: "Show the version and exit")
        (self.program, self.summary) = (program, summary)
        (self.verbs, commands) = (verbs, verbs.map(\.spec))
        (self.globals, self.synonyms) = (globals + [help, version], synonyms)
        (makeTopics, self.date) = (topics, date)
    }

    /// Returns this table with its help wrapped to the terminal's width, or unchanged if there is
    /// no terminal.
    package func fitting(_ columns: Int?) -> CommandTable {
        guard let columns else { return self }
        var table = self
        table.columns = max(columns, CommandTable.minimumColumns)
        return table
    }

    func command(at path: [String]) -> CommandSpec? { commands.first { $0.path == path } }

    func commands(below path: [String]) -> [CommandSpec] {
        commands.filter { $0.path.starts(with: path) && $0.path != path }
    }

    /// The words that can follow `path`, such as `info` and `dump` after `tag`.
    func verbs(after path: [String]) -> [String] {
        distinct(commands(below: path).compactMap { $0.path.dropFirst(path.count).first })
    }

    /// The words that can follow a path, each with its summary. If a group is not itself a command,
    /// its row lists the names of its verbs instead.
    func rows(after path: [String]) -> [HelpPart.Row] {
        verbs(after: path).map { word in
            let path = path + [word]
            let below = verbs(after: path).joined(separator: ", ")
            guard let command = command(at: path) else { return (word, below) }
            return (word, command.summary + (below.isEmpty ? "" : "; subcommands: \(below)"))
        }
    }

    func distinct(_ words: [String]) -> [String] {
        var seen: Set<String> = []
        return words.filter { seen.insert($0).inserted }
    }
}
