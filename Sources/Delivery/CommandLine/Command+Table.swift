package import Verbs

extension Command {
    /// All commands of the program, in the order used in the help. `own` contains additional
    /// commands that need its executable.
    package static func table(adding own: [Command] = []) -> [Command] {
        let insertions: [(before: String, commands: [Command])] = [
            ("keys list", [completions]), ("sim put", [schema]), ("cashiers add", own),
        ]
        return all.flatMap { command in
            (insertions.first { $0.before == command.words }?.commands ?? []) + [command]
        }
    }
}
