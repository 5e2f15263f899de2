import TapcardCore

/// A command's parameter without its type. The help, the completions, both parsers, and the page's
/// API use it; `Parameter` adds the type.
package struct CommandParameter: Sendable {
    /// Where the value goes on a command line.
    package enum Place: Sendable, Hashable {
        /// `--name`
        case flag
        /// `--name VALUE`; the associated value is the placeholder in the help.
        case option(String)
        /// `--name VALUE`, any number of times.
        case options(String)
        /// A single word after the verb.
        case argument
        /// All remaining words. Only the last argument of a command can take them.
        case arguments
        /// Not accepted on the command line, where other users of the machine could see it.
        case secret
    }

    /// The name, such as `operation` for `--operation`, or `AMOUNT` for an argument.
    package let name: String
    package let place: Place
    package let short: Character?
    package private(set) var help: String
    package let isRequired: Bool
    /// The accepted words; empty if any word is accepted.
    package let choices: [String]
    /// The values that a shell offers in addition to the choices.
    package let completes: CompletedValue?
    /// The form in which the page sends the value; nil if only the command line accepts it.
    package let page: PageParameter?
    /// Reads the value; returns nil if the value counts as not given.
    var read: Read = { _, _ in nil }

    typealias Read =
        @Sendable (ParsedCommand.Given, CommandParameter) throws(TapcardError) -> (any Sendable)?

    package init(
        _ name: String, _ place: Place, short: Character? = nil, help: String,
        isRequired: Bool = false, choices: [String] = [], completes: CompletedValue? = nil,
        page: PageParameter? = nil
    ) {
        (self.name, self.place, self.short, self.help) = (name, place, short, help)
        (self.isRequired, self.choices) = (isRequired, choices)
        (self.completes, self.page) = (completes, page)
    }

    package func withHelp(_ help: String) -> CommandParameter {
        var parameter = self
        parameter.help = help
        return parameter
    }

    package var isOption: Bool {
        switch place {
        case .flag, .option, .options: true
        case .argument, .arguments, .secret: false
        }
    }

    package var isArgument: Bool { place == .argument || repeats }
    package var repeats: Bool { place == .arguments }
    /// Whether the option may be given several times, each time with a different value.
    package var isRepeatable: Bool { if case .options = place { true } else { false } }

    /// The placeholder for an option's value in the help; nil for other parameters.
    package var placeholder: String? {
        switch place {
        case .option(let word), .options(let word): word
        case .flag, .argument, .arguments, .secret: nil
        }
    }
}
