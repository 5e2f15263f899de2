import TextCodecs

/// What the help and the completions ask of arguments and options alike.
protocol CommandValue: Sendable {
    /// As it is written in the help: `AMOUNT`, `-c, --card UID`.
    var term: String { get }
    var help: String { get }
    /// The only words that are accepted; empty if any word is.
    var choices: [String] { get }
    var completes: CompletedValue? { get }
    var name: String { get }
    /// Where a request keeps it.
    var place: CounterParameter.Place { get }
    var isRequired: Bool { get }
    /// What a page may give for it; nil where only a command line takes it.
    var page: PageValue? { get }
}

/// How a page gives a value of a command.
package struct PageValue: Sendable {
    let form: CounterParameter.Form
    /// Where it is not the value's own name.
    let name: String?
    let isRequired: Bool
    /// What stands for it where it is left out.
    let usual: JSONValue?

    init(
        _ form: CounterParameter.Form, as name: String? = nil, isRequired: Bool = false,
        usual: JSONValue? = nil
    ) {
        (self.form, self.name, self.isRequired, self.usual) = (form, name, isRequired, usual)
    }
}

extension CommandValue {
    /// As a page gives it; nil where it cannot.
    var parameter: CounterParameter? {
        guard let page else { return nil }
        // no-scratch, TICKET: in JSON they are noScratch and ticket.
        let words = name.lowercased().split(separator: "-")
        let joined = words.dropFirst().reduce(String(words[0])) { name, word in
            name + word.prefix(1).uppercased() + word.dropFirst()
        }
        return CounterParameter(
            page.name ?? joined, place, page.form, isRequired: isRequired, usual: page.usual)
    }

    var row: HelpPart.Row {
        (term, choices.isEmpty ? help : "\(help) (\(choices.joined(separator: ", ")))")
    }
}
