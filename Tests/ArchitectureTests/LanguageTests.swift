import Foundation
import Testing

/// Habits of language that make readers stumble. Each may occur as often as it did when it was
/// counted, or less. A change that removes some lowers the number; 0 forbids the habit.
@Suite("Language")
struct LanguageTests {
    struct Habit: CustomTestStringConvertible {
        let pattern: String
        let instead: String
        /// The most allowed in Swift sources, the counter page, tests, and documents.
        let most: [Int]

        var testDescription: String { pattern }
    }

    private static let habits = [
        Habit(
            pattern: #"(?<!here )\b(?:is|are|was|were) no (?!longer|more\b)"#,
            instead: #""is not a""#, most: [50, 0, 72, 2]),
        Habit(
            pattern: #"\b[Tt]here (?:is|are|was|were) no\b[^.\n]*\bthat\b"#,
            instead: #""no ... exists", or the subject first"#, most: [0, 0, 1, 0]),
        Habit(
            pattern: #"\b(?:[Ww]hoever|[Nn]obody)\b"#,
            instead: #"who it is: "the caller", "no client""#, most: [70, 4, 118, 13]),
        Habit(
            pattern: #"(?:^|[.:;] |/// |// |")(?:Whatever|Whichever)\b"#,
            instead: #"a noun as subject"#, most: [2, 0, 4, 0]),
        Habit(
            pattern: #"/// The same\b"#, instead: #"a sentence that stands alone"#,
            most: [0, 0, 6, 0]),
        Habit(
            pattern: #"/// What (?!if\b)"#,
            instead: #"a noun: "The lottery cache", and not "What is kept of the lottery""#,
            most: [9, 0, 9, 0]),
        Habit(pattern: #"\b[Ww]hether what\b"#, instead: #"a noun"#, most: [1, 0, 2, 2]),
        Habit(pattern: #"\b[Aa]new\b"#, instead: #""again""#, most: [4, 0, 7, 0]),
        Habit(pattern: #"\bmend(?:s|ed|ing)?\b"#, instead: #""fix""#, most: [0, 0, 3, 0]),
        Habit(
            pattern: #"\b[Mm]eanwhile\b"#, instead: #""in the meantime", "while ...""#,
            most: [2, 0, 10, 1]),
        Habit(pattern: #"\b[Bb]eside\b"#, instead: #""next to""#, most: [38, 0, 7, 3]),
        Habit(
            pattern: #"(?<!-)\b[Bb]ehind\b"#, instead: #""after", unless it is a place"#,
            most: [18, 0, 40, 6]),
        Habit(
            pattern: #"\b(?:is|are|was|were) told of\b"#, instead: #""is reported to""#,
            most: [2, 0, 1, 0]),
        Habit(
            pattern: #"\bcom(?:e|es|ing) to nothing\b"#, instead: #""has no effect""#,
            most: [0, 0, 0, 0]),
        Habit(pattern: #"\b(?:or|it) is none\b"#, instead: #"what it is"#, most: [0, 0, 1, 0]),
        Habit(
            pattern: #"\bthan (?:work|works) anywhere\b"#,
            instead: #"the number, its unit and its reason"#, most: [0, 0, 0, 0]),
    ]

    private static let places: [(name: String, folders: [String], endings: [String])] = [
        ("sources", ["Sources"], [".swift"]),
        ("page", ["Sources/Delivery/CounterPage/page"], [".js", ".html"]),
        ("tests", ["Tests", "Benchmarks"], [".swift"]),
        ("documents", ["docs", "README.md", "CONTRIBUTING.md", "SECURITY.md"], [".md"]),
    ]

    /// The text of each place, read once.
    private static let texts = Result { try places.map { try text(below: $0.folders, $0.endings) } }

    @Test("a habit does not grow", arguments: habits)
    func habit(_ habit: Habit) throws {
        let expression = try NSRegularExpression(
            pattern: habit.pattern, options: .anchorsMatchLines)
        for (index, text) in try Self.texts.get().enumerated() {
            let found = expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
            let newest = found.prefix(3).compactMap { match in
                Range(match.range, in: text).map { text[text.lineRange(for: $0)] }
            }
            #expect(
                found.count <= habit.most[index],
                "\(Self.places[index].name): write \(habit.instead); for example \(newest)")
        }
    }

    private static func text(below folders: [String], _ endings: [String]) throws -> String {
        try folders.flatMap { folder in
            folder.hasSuffix(".md") ? [folder] : try SourceTree.paths(below: folder)
        }.filter { path in
            endings.contains(where: path.hasSuffix) && !path.hasPrefix("Tests/ArchitectureTests")
        }.map(SourceTree.text).joined(separator: "\n")
    }
}
