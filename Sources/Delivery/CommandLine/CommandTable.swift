package import Verbs

/// The one table from which parsing, help, completions and docs/COMMANDS.md are made.
package struct CommandTable: Sendable {
    package let program: String
    package let summary: String
    /// The options that every command takes; `--help` and `--version` are added to them.
    package let globals: [CommandParameter]
    package let commands: [CommandSpec]
    package let exitStatuses: [(status: Int, meaning: String)]
    /// What people type for a verb that has another name here.
    package let synonyms: [String: String]
    /// How wide the help is.
    private(set) var columns = CommandTable.usualColumns

    private static let usualColumns = 100
    /// Where a terminal has less it breaks the lines itself.
    private static let fewestColumns = 40

    package init(
        program: String, summary: String, globals: [CommandParameter], commands: [CommandSpec],
        exitStatuses: [(status: Int, meaning: String)], synonyms: [String: String] = [:]
    ) {
        let help = CommandParameter(
            "help", .flag, short: "h", help: "Show help and do nothing else")
        let version = CommandParameter(
            "version", .flag, help: "Show the version and do nothing else")
        (self.program, self.summary, self.commands) = (program, summary, commands)
        (self.globals, self.exitStatuses) = (globals + [help, version], exitStatuses)
        self.synonyms = synonyms
    }

    /// The same with help for a terminal; without one it is as wide as in the documentation.
    package func fitting(_ columns: Int?) -> CommandTable {
        guard let columns else { return self }
        var table = self
        table.columns = max(columns, CommandTable.fewestColumns)
        return table
    }

    func command(at path: [String]) -> CommandSpec? { commands.first { $0.path == path } }

    func commands(below path: [String]) -> [CommandSpec] {
        commands.filter { $0.path.starts(with: path) && $0.path != path }
    }

    /// The words that can follow these ones: `info` and `dump` after `tag`.
    func verbs(after path: [String]) -> [String] {
        distinct(commands(below: path).compactMap { $0.path.dropFirst(path.count).first })
    }

    func distinct(_ words: [String]) -> [String] {
        var seen: Set<String> = []
        return words.filter { seen.insert($0).inserted }
    }
}
