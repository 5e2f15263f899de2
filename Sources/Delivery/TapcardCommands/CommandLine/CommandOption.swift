/// An option of one command or of all: `--name VALUE`, or `--name` for a flag.
package struct CommandOption: CommandValue {
    /// The long name, without dashes.
    package let name: String
    package let short: Character?
    /// What stands for the value in the help, such as "UUID"; nil makes the option a flag.
    package let value: String?
    package let help: String
    package let choices: [String]
    /// What a shell offers in its place, beside the choices.
    package let completes: CompletedValue?
    let page: PageValue?

    package init(
        name: String, short: Character? = nil, value: String? = nil, help: String,
        choices: [String] = [], completesFiles: Bool = false, completes: CompletedValue? = nil,
        page: PageValue? = nil
    ) {
        (self.name, self.short, self.value) = (name, short, value)
        (self.help, self.choices, self.page) = (help, choices, page)
        self.completes = completesFiles ? .files : completes
    }

    var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }
    var place: CounterParameter.Place { value == nil ? .flag(name) : .option(name) }
    var isRequired: Bool { page?.isRequired ?? false }
    var term: String { spellings.joined(separator: ", ") + (value.map { " \($0)" } ?? "") }
}
