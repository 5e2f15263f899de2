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
    /// The place of the value in a parsed command.
    var place: CounterParameter.Place { get }
    var isRequired: Bool { get }
    /// The form in which a page sends the value; nil if only the command line takes it.
    var page: PageValue? { get }
}

/// A command's value as a page sends it in JSON.
package struct PageValue: Sendable {
    let form: CounterParameter.Form
    /// The name in JSON, if it differs from the value's own name.
    let name: String?
    let isRequired: Bool
    /// The default value of a call that leaves it out.
    let usual: JSONValue?

    init(
        _ form: CounterParameter.Form, as name: String? = nil, isRequired: Bool = false,
        usual: JSONValue? = nil
    ) {
        (self.form, self.name, self.isRequired, self.usual) = (form, name, isRequired, usual)
    }
}

extension CommandValue {
    /// The parameter of the page's call; nil if only the command line takes the value.
    var parameter: CounterParameter? {
        guard let page else { return nil }
        // JSON names are in camel case: noScratch for no-scratch, ticket for TICKET.
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
