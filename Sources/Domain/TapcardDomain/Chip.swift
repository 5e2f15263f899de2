/// A chip that tapcard can use for cards. The raw value is the name that the ledger, JSON, dumps,
/// and people use for the chip.
///
/// To add a chip, start with a case here; the compiler will then require its pages (`Type2Chip`)
/// and the location of a card's data in its memory (`CardLayout`).
public enum Chip: String, Sendable, CaseIterable {
    /// NTAG213, with 144 bytes of user memory.
    case ntag213 = "NTAG213"
    /// NTAG215, with 504 bytes of user memory.
    case ntag215 = "NTAG215"
    /// NTAG216, with 888 bytes of user memory.
    case ntag216 = "NTAG216"
    /// NTAG 424, which uses keys to prove that it is genuine.
    case ntag424 = "NTAG424"

    /// The name that the chip's maker uses on the data sheet.
    public var name: String { rawValue }

    /// The chip whose name someone typed, in upper or lower case.
    public init?(typed word: String) {
        self.init(rawValue: word.uppercased())
    }

    /// All names, as a list: "NTAG213, NTAG215, NTAG216".
    public static var listed: String { allCases.map(\.name).joined(separator: ", ") }

    /// All names, for use in a sentence: "NTAG213, NTAG215, or NTAG216".
    public static var choice: String { list("or") }

    /// All names, with this word before the last one.
    package static func list(_ conjunction: String) -> String {
        let names = allCases.map(\.name)
        return names.dropLast().joined(separator: ", ") + ", \(conjunction) " + (names.last ?? "")
    }
}

extension Chip: CustomStringConvertible {
    public var description: String { name }
}

extension String {
    /// The name of a chip with "A" or "An", depending on how it is pronounced: an NTAG, a MIFARE.
    package var withArticle: String {
        (hasPrefix("NTAG") || hasPrefix("ISO") ? "An " : "A ") + self
    }
}
