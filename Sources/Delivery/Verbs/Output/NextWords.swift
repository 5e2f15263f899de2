import Ledger
public import TapcardCore
public import TapcardDomain
public import TextCodecs

/// The wording of a next step: a sentence for users, and a word with values for programs.
public struct NextWords: Sendable {
    /// The word for programs; empty if programs cannot take the step.
    let word: String
    public let sentence: String
    /// The option to add to the command; nil if there is none.
    let option: String?
    private let values: [JSONMember]

    public init(
        _ word: String, _ sentence: String,
        _ values: KeyValuePairs<String, (any CustomStringConvertible)?> = [:],
        option: String? = nil
    ) {
        (self.word, self.sentence, self.option) = (word, sentence, option)
        self.values = values.compactMap { name, value in
            value.map { JSONMember(key: name, value: .string($0.description)) }
        }
    }

    /// The steps that a program can take.
    public static func document(of steps: [NextWords]) -> JSONValue {
        .array(
            steps.filter { !$0.word.isEmpty }.map {
                JSONValue.object([JSONMember(key: "step", value: .string($0.word))] + $0.values)
            })
    }

    static func document(of steps: [NextStep]) -> JSONValue { document(of: steps.map(\.words)) }

    /// The steps as a single text. A command at the end gets no period, which could be mistaken for
    /// part of the command.
    public static func text(of steps: [NextWords]) -> String {
        steps.enumerated().map { index, step in
            let isOpen = index < steps.count - 1 && !step.sentence.hasSuffix(".")
            return step.sentence + (isOpen ? "." : "")
        }.joined(separator: " ")
    }
}

extension TapcardError {
    /// An error whose advice is only a sentence, not a step that programs can take.
    public init(
        _ kind: Kind, _ what: String, meaning: String = "", advice: String, uid: CardUID? = nil
    ) {
        self.init(
            kind, what, meaning: meaning, next: advice.isEmpty ? [] : [.words(advice)], uid: uid)
    }

    /// The error for a request that cannot be understood and is refused before anything is done.
    package static func usage(_ what: String, advice: String = "") -> TapcardError {
        TapcardError(.usage, what, meaning: "Nothing was done.", advice: advice)
    }

    /// The next steps, as worded for the command line.
    public var advice: String { NextWords.text(of: next.map(\.words)) }

    /// What happened, what it means for the card and the money, and the next step, in one text.
    package var message: String {
        [what, meaning, advice].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension TapcardError {
    /// The error without steps that depend on an option that this command does not accept.
    func fitting(_ command: CommandSpec) -> TapcardError {
        let fitting = next.compactMap { $0.fitting(command) }
        return fitting == next ? self : reworded(next: fitting)
    }
}

extension NextStep {
    /// The step, or its replacement if the command does not accept the step's option; nil if there
    /// is no replacement.
    package func fitting(_ command: CommandSpec) -> NextStep? {
        guard let option = words.option, !command.options.contains(where: { $0.name == option })
        else { return self }
        // These steps still make sense without the option.
        return switch self {
        case .tag(.useAnotherOrAllowAnyChip): .tag(.useAnother)
        case .tag(.overwrite): .tag(.overwriteByIssuing)
        case .card(.adoptOrReissue), .card(.adoptOrOverwrite): .card(.adopt(nil))
        case .card(.beginNewAccount): .card(.reissueTag)
        case .card(.payOutOrConfirm): .card(.payOut)
        default: nil
        }
    }

    public var words: NextWords {
        switch self {
        case .card(let step): step.words
        case .trust(let step): step.words
        case .tag(let step): step.words
        case .reader(let step): step.words
        case .request(let step): step.words
        case .service(let step): step.words
        case .lottery(let step): step.words
        case .ledger(let step): step.words
        case .file(let step): step.words
        case .words(let sentence): NextWords("", sentence)
        }
    }
}
