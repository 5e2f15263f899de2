/// A chip that tapcard can use for cards. The raw value is the chip's name in the ledger, in JSON,
/// in dumps, and on the screen.
///
/// To add a chip, add a case here first. The compiler then requires the chip's memory pages
/// (`Type2Chip`) and the location of a card's data on them (`CardLayout`).
public enum Chip: String, Sendable, CaseIterable {
    /// NTAG213, with 144 bytes of user memory.
    case ntag213 = "NTAG213"
    /// NTAG215, with 504 bytes of user memory.
    case ntag215 = "NTAG215"
    /// NTAG216, with 888 bytes of user memory.
    case ntag216 = "NTAG216"
    /// NTAG 424, which authenticates itself with keys.
    case ntag424 = "NTAG424"

    /// The chip's name, such as "NTAG213".
    public var name: String { rawValue }

    /// Parses a chip name that a user typed, in upper or lower case.
    public init?(typed word: String) {
        self.init(rawValue: word.uppercased())
    }

    /// The names of all chips, as a list: "NTAG213, NTAG215, NTAG216, NTAG424".
    public static var listed: String { allCases.map(\.name).joined(separator: ", ") }

    /// The names of all chips, as alternatives: "NTAG213, NTAG215, NTAG216, or NTAG424".
    public static var choice: String { list("or") }

    /// The names of all chips, with a conjunction before the last one.
    package static func list(_ conjunction: String) -> String {
        let names = allCases.map(\.name)
        return names.dropLast().joined(separator: ", ") + ", \(conjunction) " + (names.last ?? "")
    }
}

extension Chip: CustomStringConvertible {
    public var description: String { name }
}

extension String {
    /// This chip name preceded by "A" or "An", depending on its pronunciation: "An NTAG213".
    package var withArticle: String {
        (hasPrefix("NTAG") || hasPrefix("ISO") ? "An " : "A ") + self
    }
}
