import Verbs

extension CommandTable {
    /// Parses the arguments after the program's name.
    package func parse(_ arguments: [String]) throws(CommandLineError) -> Invocation {
        // Undocumented forms for `make docs`, the manual, and the completion scripts.
        if arguments == ["help", "--markdown"] { return .page(markdown()) }
        if arguments == ["help", "--settings"] { return .page(CommandTable.settingsPage()) }
        if arguments == ["help", "--man"] { return .page(manual()) }
        if arguments.starts(with: ["help", "--complete"]) {
            return candidates(for: arguments.dropFirst(2))
        }
        var reader = CommandLineReader(table: self, rest: arguments[...])
        try reader.read()
        return try reader.invocation()
    }
}

/// A parser that reads a command line from left to right.
struct CommandLineReader {
    let table: CommandTable
    var rest: ArraySlice<String>
    var path: [String] = []
    var words: [String] = []
    var texts: [String: [String]] = [:]
    /// The names of the options with values, in the order in which they were given.
    var order: [String] = []
    var wantsHelp = false
    var topic: Topic?
    /// Whether the command's name is complete, because its first argument or one of its own options
    /// has been read.
    var verbIsKnown = false
    /// The option that still needs its value.
    var awaiting: CommandParameter?
    /// An option that was given more than once, which only some commands accept.
    var repeated: CommandParameter?

    var command: CommandSpec? { table.command(at: path) }
    var verbs: [String] { verbIsKnown ? [] : table.verbs(after: path) }
    /// A command's own options replace global options of the same name.
    var knownOptions: [CommandParameter] {
        let own = command?.options ?? []
        return own + table.globals.filter { global in !own.contains { $0.name == global.name } }
    }

    /// Separates verbs, options, and arguments. `invocation` checks for missing parts.
    mutating func read() throws(CommandLineError) {
        while let word = rest.popFirst() {
            if let option = awaiting {
                // The value was probably forgotten. A value that looks like an option can be given
                // as "--name=--text".
                guard !looksLikeOption(word) else { throw missingValue(of: option) }
                try give(word, option)
            } else if word == "--" {
                while let word = rest.popFirst() { try take(word) }
            } else if looksLikeOption(word) {
                try takeOption(word)
            } else {
                try take(word)
            }
        }
    }

    func invocation() throws(CommandLineError) -> Invocation {
        if let awaiting { throw missingValue(of: awaiting) }
        if texts["version"] != nil { return .version }
        if let topic {
            guard words.isEmpty else { throw refusal(.tooManyArguments, extraWord(words[0])) }
            return .help(table.help(for: topic))
        }
        let verb = table.verbs.first { $0.spec.path == path }
        guard let verb, !wantsHelp, texts["help"] == nil else {
            return .help(table.help(at: path))
        }
        if let repeated, !isRepeatable(repeated, in: [verb.spec]) {
            throw repetitionError(repeated)
        }
        let texts = texts.merging(try arguments(of: verb.spec)) { option, _ in option }
        return .run(verb, texts, order: order)
    }

    /// A negative number counts as an argument, so that the rules for amounts can explain why it is
    /// invalid.
    private func looksLikeOption(_ word: String) -> Bool {
        guard word.first == "-", let second = word.dropFirst().first else { return false }
        return !second.isNumber && !".,".contains(second)
    }

    private mutating func take(_ word: String) throws(CommandLineError) {
        if verbs.contains(word) {
            path.append(word)
        } else if path.isEmpty, word == "help" {
            wantsHelp = true
        } else if wantsHelp, path.isEmpty, topic == nil, let named = table.topic(named: word) {
            (topic, verbIsKnown) = (named, true)
        } else if !verbs.isEmpty, command?.arguments.isEmpty ?? true {
            // No argument is accepted at this point, so the word must be a mistyped verb or topic.
            let topics = wantsHelp && path.isEmpty ? table.topics.map(\.name) : []
            let wanted = topics.isEmpty ? "verb" : "verb or topic"
            throw refusal(
                .unknownVerb,
                "\(title) has no \(wanted) "
                    + "\(hint(word, verbs + topics, whole: verb(endingIn: word)))")
        } else {
            verbIsKnown = true
            words.append(word)
        }
    }

    private mutating func takeOption(_ word: String) throws(CommandLineError) {
        let end = word.firstIndex(of: "=") ?? word.endIndex
        let spelling = String(word[..<end])
        let attached = end < word.endIndex ? String(word[end...].dropFirst()) : nil
        // A short option after the command of --exec is probably meant for that command.
        if order.contains("exec"), !word.hasPrefix("--") {
            throw refusal(
                .unknownOption,
                "Write -- before \(word.debugDescription) to pass it to the command after --exec.")
        }
        guard let option = knownOptions.first(where: { $0.spellings.contains(spelling) }) else {
            let names = knownOptions.map { "--\($0.name)" }
            throw refusal(.unknownOption, "\(title) has no option \(hint(spelling, names))")
        }
        if texts[option.name] != nil {
            // The command that the option belongs to may follow later.
            guard isRepeatable(option, in: table.commands) else { throw repetitionError(option) }
            repeated = option
        }
        // A global option may come before or within the command's name, but a command's own option
        // comes after the name.
        verbIsKnown = verbIsKnown || !table.globals.contains { $0.name == option.name }
        if option.placeholder == nil {
            texts[option.name] = ["true"]
            guard attached != nil else { return }
            throw refusal(.unexpectedValue, "\(title) takes no value for \(spelling).")
        }
        awaiting = option
        if let attached { try give(attached, option) }
    }

    private mutating func give(_ value: String, _ option: CommandParameter) throws(CommandLineError)
    {
        try check(value, "--\(option.name)", option.choices)
        texts[option.name, default: []].append(value)
        order.append(option.name)
        awaiting = nil
    }

    private func isRepeatable(_ option: CommandParameter, in commands: [CommandSpec]) -> Bool {
        commands.contains { command in
            command.options.contains { $0.name == option.name && $0.isRepeatable }
        }
    }

    private func repetitionError(_ option: CommandParameter) -> CommandLineError {
        refusal(.repeatedOption, "\(title) takes --\(option.name) only once.")
    }

    private func arguments(of spec: CommandSpec) throws(CommandLineError) -> [String: [String]] {
        var (left, values) = (words[...], [String: [String]]())
        for argument in spec.arguments {
            let taken = argument.repeats ? left : left.prefix(1)
            guard !taken.isEmpty || !argument.isRequired else {
                throw refusal(.missingArgument, "\(title) needs \(argument.name).")
            }
            for word in taken { try check(word, argument.name, argument.choices) }
            if !taken.isEmpty { values[argument.name] = Array(taken) }
            left = left.dropFirst(taken.count)
        }
        guard let extra = left.first else { return values }
        throw refusal(.tooManyArguments, extraWord(extra))
    }

    private func extraWord(_ word: String) -> String {
        "\(title) got one argument too many: \(word.debugDescription)."
    }

    private func check(_ word: String, _ name: String, _ choices: [String]) throws(CommandLineError)
    {
        if choices.isEmpty || choices.contains(word) { return }
        // In a long list, the intended word would be hard to find.
        let advice =
            choices.count > CommandLineReader.maximumListedChoices
            ? guess(word, choices) : "; use one of \(choices.joined(separator: ", "))."
        throw refusal(
            .notAmongChoices,
            "\(title) does not accept \(word.debugDescription) for \(name)\(advice)")
    }

    /// The maximum number of choices listed in an error.
    private static let maximumListedChoices = 10

    /// The multiword verb that ends in this word, such as "tag unprotect", if there is only one.
    private func verb(endingIn word: String) -> String? {
        let verbs = table.commands(below: path).filter { $0.path.last == word }
        return verbs.count == 1 ? verbs[0].path.joined(separator: " ") : nil
    }

    /// The end of an error message about an unknown word. It suggests the known word that was
    /// probably meant, if there is one.
    private func hint(_ word: String, _ known: [String], whole: String? = nil) -> String {
        word.debugDescription + guess(word, known, whole: whole)
    }

    private func guess(_ word: String, _ known: [String], whole: String? = nil) -> String {
        let intended = table.synonyms[word].flatMap { known.contains($0) ? $0 : nil } ?? whole
        let nearest = intended ?? nearestWord(to: word, among: known)
        return nearest.map { "; did you mean \($0)?" } ?? "."
    }

    private func missingValue(of option: CommandParameter) -> CommandLineError {
        refusal(.missingValue, "--\(option.name) needs a value: \(option.placeholder ?? "").")
    }

    private var title: String { ([table.program] + path).joined(separator: " ") }

    private func refusal(_ kind: CommandLineError.Kind, _ what: String) -> CommandLineError {
        CommandLineError(kind: kind, detail: "\(what) See: \(title) --help")
    }
}
