import TapcardCore
import TapcardDomain
public import TextCodecs

/// One thing that a call takes.
public struct CounterParameter: Sendable {
    /// What its value is, and how it comes in JSON.
    public enum Form: Sendable, Hashable {
        /// A text of so many characters.
        case text(ClosedRange<Int>)
        case choice([String])
        case amount
        /// An amount that moves, which is above zero.
        case moved
        /// A card's number, an operation's id, what the lottery calls a draw or a ticket, a day.
        case card, operation, lotteryName, day
        case wholeNumber(ClosedRange<Int>)
        case truth
        case tags
        case digits(ClosedRange<Int>, count: ClosedRange<Int>)
        /// The words of an armed fault; null disarms.
        case fault

        /// Whether a query has it in digits.
        public var isNumber: Bool {
            if case .wholeNumber = self { true } else { false }
        }
    }

    package enum Place: Sendable, Hashable {
        case option(String)
        case flag(String)
        case argument(String)
        /// In no command line: others can see those.
        case password
    }

    public let name: String
    public let form: Form
    public let isRequired: Bool
    /// What stands for it where it is left out; nil is nothing.
    public let usual: JSONValue?
    let place: Place

    init(
        _ name: String, _ place: Place, _ form: Form, isRequired: Bool = false,
        usual: JSONValue? = nil
    ) {
        (self.name, self.form, self.usual) = (name, form, usual)
        (self.place, self.isRequired) = (place, isRequired)
    }

    /// More than there is money on any card.
    static let longestAmount = 12

    /// What stands on a command line in its place; nil for null, and for what is not wanted.
    func texts(of value: JSONValue) throws(TapcardError) -> [String]? {
        if value == .null { return form == .fault ? ["none"] : nil }
        let found: [String]? =
            switch form {
            case .text, .card, .operation, .lotteryName, .day: value.string.map { [$0] }
            case .choice(let words):
                value.string.flatMap { words.contains($0) ? [$0] : nil }
            case .amount, .moved:
                value.string.flatMap {
                    $0.utf8.count <= CounterParameter.longestAmount ? [$0] : nil
                }
            case .fault: try value.string.map(CounterParameter.fault)
            case .wholeNumber(let range):
                CounterParameter.text(of: value, in: range).map { [$0] }
            case .truth: value.bool.map { $0 ? [""] : [] }
            case .tags: value.array.flatMap { CounterParameter.all($0.map(\.string)) }
            case .digits(let range, let counts):
                value.array.flatMap { numbers in
                    let texts = numbers.map { CounterParameter.text(of: $0, in: range) }
                    return counts.contains(numbers.count) ? CounterParameter.all(texts) : nil
                }
            }
        guard let found else {
            throw CounterCall.refusal("\(name.debugDescription) has to be \(form.words).")
        }
        return found
    }

    /// One that kills the process would end the program that everybody looks at.
    private static func fault(_ text: String) throws(TapcardError) -> [String] {
        let words = text.split(separator: " ").map(String.init)
        guard !words.contains(where: { $0.hasPrefix("killed") }) else {
            throw CounterCall.refusal(
                "A page must not kill the program that serves it: for that there is "
                    + "tapcard sim tear.")
        }
        return words
    }

    /// In JSON 2.0 is a whole number, too.
    private static func text(of value: JSONValue, in range: ClosedRange<Int>) -> String? {
        let parts = value.numberText?.split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let parts, let number = Int(parts[0]), range.contains(number),
            parts.count == 1 || (!parts[1].isEmpty && parts[1].allSatisfy { $0 == "0" })
        else { return nil }
        return String(number)
    }

    private static func all(_ texts: [String?]) -> [String]? {
        let known = texts.compactMap { $0 }
        return known.count == texts.count ? known : nil
    }
}

extension CounterParameter.Form {
    fileprivate var words: String {
        switch self {
        case .text, .card, .operation, .lotteryName, .day: "a text"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .amount, .moved: "a text of at most \(CounterParameter.longestAmount) characters"
        case .fault: "a text, or null"
        case .wholeNumber(let range): "a whole number, \(range.words)"
        case .truth: "true or false"
        case .tags: "a list of texts"
        case .digits(let range, let counts):
            "a list of \(counts.words) whole numbers, \(range.words)"
        }
    }
}
