/// A value that a command takes, as help, completions, both kinds of parsing and the page's API
/// know it. `Parameter` adds the type that a command reads it with.
package struct CommandParameter: Sendable {
    /// Where it stands in a command line.
    package enum Place: Sendable, Hashable {
        /// `--name`
        case flag
        /// `--name VALUE`, with the word that stands for the value in the help.
        case option(String)
        /// A word that stands by itself after the verb.
        case argument
        /// All the words that are left: only the last argument of a command can be one.
        case arguments
        /// Nowhere: other users of the machine can see command lines.
        case secret
    }

    /// `operation` for `--operation`, `AMOUNT` for an argument.
    package let name: String
    package let place: Place
    package let short: Character?
    package private(set) var help: String
    package let isRequired: Bool
    /// The only words that are accepted; empty if any word is.
    package let choices: [String]
    /// What a shell offers in its place, beside the choices.
    package let completes: CompletedValue?
    /// How a page sends it; nil if only a command line can.
    package let page: PageParameter?

    package init(
        _ name: String, _ place: Place, short: Character? = nil, help: String,
        isRequired: Bool = false, choices: [String] = [], completes: CompletedValue? = nil,
        page: PageParameter? = nil
    ) {
        (self.name, self.place, self.short, self.help) = (name, place, short, help)
        (self.isRequired, self.choices) = (isRequired, choices)
        (self.completes, self.page) = (completes, page)
    }

    package func saying(_ help: String) -> CommandParameter {
        var parameter = self
        parameter.help = help
        return parameter
    }

    package var isOption: Bool {
        switch place {
        case .flag, .option: true
        case .argument, .arguments, .secret: false
        }
    }

    package var isArgument: Bool { place == .argument || repeats }
    package var repeats: Bool { place == .arguments }

    /// What stands for the value of an option in the help; nil for everything else.
    package var placeholder: String? {
        if case .option(let word) = place { word } else { nil }
    }
}
