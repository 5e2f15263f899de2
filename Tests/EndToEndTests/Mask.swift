import Foundation

/// A pattern for text that differs from run to run. Foundation matches many times faster than
/// Swift's Regex, and each session line is masked by twenty patterns.
struct Mask: Sendable {
    private let expression: NSRegularExpression

    init(_ pattern: String) {
        guard let expression = try? NSRegularExpression(pattern: pattern) else {
            preconditionFailure("\(pattern) is not a valid expression")
        }
        self.expression = expression
    }

    /// The first text that matches.
    func first(in text: String) -> String? {
        expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
            .flatMap { Range($0.range, in: text) }.map { String(text[$0]) }
    }

    /// The text with what matches replaced.
    func replaced(in text: String, with word: String) -> String {
        replaced(in: text) { _ in word }
    }

    func replaced(in text: String, with word: (String) -> String) -> String {
        let matches = expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
        guard !matches.isEmpty else { return text }
        var masked = ""
        var place = text.startIndex
        for match in matches {
            guard let range = Range(match.range, in: text) else { continue }
            masked += text[place..<range.lowerBound] + word(String(text[range]))
            place = range.upperBound
        }
        return masked + text[place...]
    }

    static let uuid = Mask("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
    private static let time = Mask(#"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\dZ?"#)
    private static let date = Mask(#"20\d\d-\d\d-\d\d"#)
    private static let passphrase = Mask("[0-9A-Z]{5}(-[0-9A-Z]{5}){4}")
    private static let code = Mask("\\b[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\\b")
    private static let process = Mask(#"process \d+"#)

    static func apply(to text: String) -> String {
        var text = uuid.replaced(in: text, with: "<uuid>")
        text = time.replaced(in: text, with: "<time>")
        text = date.replaced(in: text, with: "<date>")
        text = passphrase.replaced(in: text, with: "<passphrase>")
        text = code.replaced(in: text, with: "<code>")
        return process.replaced(in: text, with: "process <number>")
    }
}
