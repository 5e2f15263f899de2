/// What the help and the completions ask of arguments and options alike.
protocol CommandValue: Sendable {
    /// As it is written in the help: `AMOUNT`, `-c, --card UID`.
    var term: String { get }
    var help: String { get }
    /// The only words that are accepted; empty if any word is.
    var choices: [String] { get }
    var completes: CompletedValue? { get }
}

extension CommandValue {
    var row: HelpPart.Row {
        (term, choices.isEmpty ? help : "\(help) (\(choices.joined(separator: ", ")))")
    }
}
