/// A word that stands by itself after the verb, such as the amount of a payment.
package struct CommandArgument: CommandValue {
    package let name: String
    package let help: String
    package let isRequired: Bool
    /// Takes all the words that are left: only the last argument of a command can repeat.
    package let repeats: Bool
    package let choices: [String]
    /// What a shell offers in its place, beside the choices.
    package let completes: CompletedValue?
    let page: PageValue?

    package init(
        name: String, help: String, isRequired: Bool = true, repeats: Bool = false,
        choices: [String] = [], completesFiles: Bool = false, completes: CompletedValue? = nil,
        page: PageValue? = nil
    ) {
        (self.name, self.help, self.isRequired) = (name, help, isRequired)
        (self.repeats, self.choices, self.page) = (repeats, choices, page)
        self.completes = completesFiles ? .files : completes
    }

    var place: CounterParameter.Place { .argument(name) }
    var term: String {
        let words = repeats ? "\(name)..." : name
        return isRequired ? words : "[\(words)]"
    }
}
