import Ledger
public import TapcardCore
public import TapcardDomain
public import TextCodecs

/// A step in words: the command line prints its sentence, other programs go by its word and values.
public struct NextWords: Sendable {
    /// Empty for a sentence that is only for people.
    let word: String
    public let sentence: String
    private let values: [JSONMember]

    public init(
        _ word: String, _ sentence: String,
        _ values: KeyValuePairs<String, (any CustomStringConvertible)?> = [:]
    ) {
        (self.word, self.sentence) = (word, sentence)
        self.values = values.compactMap { name, value in
            value.map { JSONMember(key: name, value: .string($0.description)) }
        }
    }

    /// The steps that a program can take.
    public static func document(of steps: [NextWords]) -> JSONValue {
        .array(
            steps.filter { !$0.word.isEmpty }.map {
                .object([JSONMember(key: "step", value: .string($0.word))] + $0.values)
            })
    }
}

extension TapcardError {
    /// An error of the program itself, with advice for whoever reads its output.
    public init(
        _ kind: Kind, _ what: String, meaning: String = "", advice: String, uid: CardUID? = nil
    ) {
        self.init(
            kind, what, meaning: meaning, next: advice.isEmpty ? [] : [.words(advice)], uid: uid)
    }

    /// What to do next, in the words of the command line.
    public var advice: String { next.map(\.words.sentence).joined(separator: " ") }

    /// What happened, what it means for the card and the money, and what to do next.
    var message: String {
        [what, meaning, advice].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension NextStep {
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
