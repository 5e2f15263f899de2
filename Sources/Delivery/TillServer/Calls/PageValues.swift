import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

extension PageParameter {
    /// The texts that a command line would give; empty for null and false.
    func texts(of value: JSONValue) throws(TapcardError) -> [String] {
        if value == .null { return form == .fault ? ["none"] : [] }
        let found: [String]? =
            switch form {
            case .text, .card, .operation, .lotteryName, .day: value.string.map { [$0] }
            case .choice(let words):
                value.string.flatMap { words.contains($0) ? [$0] : nil }
            case .amount, .moved:
                value.string.flatMap {
                    $0.utf8.count <= PageParameter.longestAmount ? [$0] : nil
                }
            case .fault: try value.string.map(PageParameter.fault)
            case .wholeNumber(let range):
                PageParameter.text(of: value, in: range).map { [$0] }
            case .truth: value.bool.map { $0 ? ["true"] : [] }
            case .tags: value.array.flatMap { PageParameter.all($0.map(\.string)) }
            case .digits(let range, let counts):
                value.array.flatMap { numbers in
                    let texts = numbers.map { PageParameter.text(of: $0, in: range) }
                    return counts.contains(numbers.count) ? PageParameter.all(texts) : nil
                }
            }
        guard let found else {
            throw TapcardError.usage("\(name.debugDescription) must be \(form.words).")
        }
        return found
    }

    /// A fault that kills the process would end the server for all clients.
    private static func fault(_ text: String) throws(TapcardError) -> [String] {
        let words = text.split(separator: " ").map(String.init)
        guard !words.contains(where: { $0.hasPrefix("killed") }) else {
            throw TapcardError.usage(
                "The faults killed-before and killed-after would end the server, so they are not "
                    + "allowed over HTTP; use tapcard sim tear instead.")
        }
        return words
    }

    /// A whole number within the range, as text. In JSON 2.0 is a whole number, too.
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

extension PageParameter.Form {
    fileprivate var words: String {
        switch self {
        case .text, .card, .operation, .lotteryName, .day: "a string"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .amount, .moved: "a string of at most \(PageParameter.longestAmount) characters"
        case .fault: "a string or null"
        case .wholeNumber(let range): "a whole number from \(range.words)"
        case .truth: "true or false"
        case .tags: "a list of strings"
        case .digits(let range, let counts):
            "a list of \(counts.words) whole numbers from \(range.words)"
        }
    }
}
