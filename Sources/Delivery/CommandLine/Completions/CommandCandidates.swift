import Verbs

extension CommandTable {
    /// Lists the candidates for the last word, one per line, some followed by a tab and a
    /// description. A single line ":files" tells the shell to complete file names.
    func candidates(for words: ArraySlice<String>) -> Invocation {
        let current = words.last ?? ""
        // In "--card=04", the option is --card, and the value to complete is 04.
        let name = current.prefix { $0 != "=" }
        let isJoined = name.hasPrefix("--") && name != current
        let before = words.dropLast() + (isJoined ? [String(name)] : [])
        var reader = CommandLineReader(table: self, rest: before)
        // Completion must not print errors, so an invalid command line has no candidates.
        guard (try? reader.read()) != nil else { return .help("") }

        if let option = reader.awaiting {
            return candidates(of: option, reader, prefix: isJoined ? "\(name)=" : "")
        }
        if current.hasPrefix("-") {
            return .help(
                reader.knownOptions.map { "--\($0.name)\t\($0.help.unmarked)\n" }.joined())
        }
        let lines = (reader.verbIsKnown ? [] : rows(after: reader.path))
            .map { "\($0.term)\t\($0.help.unmarked)\n" }
        if reader.wantsHelp, reader.path.isEmpty {
            guard reader.topic == nil else { return .help("") }
            let topics = topics.filter { !reader.verbs.contains($0.name) }
            return .help(
                lines.joined() + topics.map { "\($0.name)\t\($0.summary.unmarked)\n" }.joined())
        }
        let arguments = reader.command?.arguments ?? []
        // If the last argument is repeatable, all remaining words belong to it.
        let next = arguments.dropFirst(reader.words.count).first ?? arguments.last { $0.repeats }
        guard let next, lines.isEmpty else {
            return .help(lines.joined() + (next?.choices.map { "\($0)\n" }.joined() ?? ""))
        }
        return candidates(of: next, reader)
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
            // A global option may specify another ledger.
            return .candidates(known, prefix: prefix, reader.texts)
        case nil: return .help(value.choices.map { "\(prefix)\($0)\n" }.joined())
        }
    }
}
