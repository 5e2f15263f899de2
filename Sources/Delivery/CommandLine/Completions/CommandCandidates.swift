import Verbs

extension CommandTable {
    /// What can stand at the cursor, which is at the end of the last word: a candidate a line, and
    /// behind a tab what it does. The one line ":files" leaves it to the shell to offer files.
    func candidates(for words: ArraySlice<String>) -> Invocation {
        let current = words.last ?? ""
        let name = current.prefix { $0 != "=" }
        let isJoined = name.hasPrefix("--") && name != current
        let before = words.dropLast() + (isJoined ? [String(name)] : [])
        var reader = CommandLineReader(table: self, rest: before)
        guard (try? reader.read()) != nil else { return .help("") }

        if let option = reader.awaiting {
            return candidates(of: option, reader, prefix: isJoined ? "\(name)=" : "")
        }
        if current.hasPrefix("-") {
            return .help(reader.knownOptions.map { "--\($0.name)\t\($0.help)\n" }.joined())
        }
        let lines = reader.verbs.map { verb in
            let path = reader.path + [verb]
            let below = verbs(after: path).joined(separator: ", ")
            return "\(verb)\t\(command(at: path)?.summary ?? below)\n"
        }
        let arguments = reader.command?.arguments ?? []
        let due = arguments.dropFirst(reader.words.count).first ?? arguments.last { $0.repeats }
        guard let due, lines.isEmpty else {
            return .help(lines.joined() + (due?.choices.map { "\($0)\n" }.joined() ?? ""))
        }
        return candidates(of: due, reader)
    }

    private func candidates(
        of value: CommandParameter, _ reader: CommandLineReader, prefix: String = ""
    ) -> Invocation {
        switch value.completes {
        case .files: return .help(":files\n")
        case .verbs: return .help(verbs(after: reader.words).map { "\($0)\n" }.joined())
        case .settingValue:
            guard let name = reader.words.last.flatMap({ Settings.Name(rawValue: $0) }) else {
                return .help("")
            }
            return candidates(of: name.value, reader)
        case let known?:
            // Global options say which ledger is meant.
            let command = ParsedCommand(
                spec: CommandSpec(path: [], summary: "", example: "", group: ""),
                texts: reader.texts)
            return .candidates(known, prefix: prefix, command)
        case nil: return .help(value.choices.map { "\(prefix)\($0)\n" }.joined())
        }
    }
}
