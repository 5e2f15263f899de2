/// A chip that tapcard keeps cards on. Its raw value is its name in the ledger, in JSON, in dumps
/// and for people.
///
/// A new chip begins with a case here; the compiler then asks for its pages (`Type2Chip`) and for
/// the place of a card on it (`CardLayout`).
public enum Chip: String, Sendable, CaseIterable {
    /// NTAG213, with 144 bytes for users.
    case ntag213 = "NTAG213"
    /// NTAG215, with 504 bytes for users.
    case ntag215 = "NTAG215"
    /// NTAG216, with 888 bytes for users.
    case ntag216 = "NTAG216"
    /// NTAG 424, which proves itself with keys.
    case ntag424 = "NTAG424"

    /// The name on the data sheet.
    public var name: String { rawValue }

    /// The chip with this typed name, in capitals or not.
    public init?(typed word: String) {
        self.init(rawValue: word.uppercased())
    }

    /// All names, as a list: "NTAG213, NTAG215, NTAG216".
    public static var listed: String { allCases.map(\.name).joined(separator: ", ") }

    /// All names, for a sentence: "NTAG213, NTAG215 or NTAG216".
    public static var choice: String {
        let names = allCases.map(\.name)
        return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}

extension Chip: CustomStringConvertible {
    public var description: String { name }
}

extension String {
    /// The name of a chip with "A" or "An", as it is spoken: an NTAG, a MIFARE.
    package var withArticle: String {
        (hasPrefix("NTAG") || hasPrefix("ISO") ? "An " : "A ") + self
    }
}
