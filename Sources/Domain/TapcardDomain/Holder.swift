@_spi(_Unicode) import Swift

/// A cardholder. Both the number and the name are optional, because any phone can read them from
/// the tag.
public struct Holder: Hashable, Sendable {
    /// The cardholder's number; `nil` if there is none.
    public let id: HolderID?
    /// The cardholder's name; `nil` if there is none.
    public let name: HolderName?

    /// No cardholder, for a card that is not assigned to anyone.
    public static let nobody = Holder(id: nil, name: nil)

    /// Creates a cardholder.
    public init(id: HolderID?, name: HolderName?) {
        self.id = id
        self.name = name
    }
}

/// A cardholder's number, 1 or higher. Zero is not a valid ID, because it stands for "none" in
/// sealed records.
public struct HolderID: Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let number: Int64

    /// Creates an ID. Refuses a number below 1.
    public init(_ number: Int64) throws(Refusal) {
        guard number >= 1 else {
            throw Refusal(.badIdentifier, "\(number) is not a valid ID; IDs begin at 1")
        }
        self.number = number
    }

    /// Parses a number in decimal digits.
    public init(parsing text: String) throws(Refusal) {
        // `Int64(_:)` alone would also accept a sign.
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(text)
        else {
            throw Refusal(
                .badIdentifier,
                "\"\(printable(text))\" is not a valid ID; use a whole number from 1 to "
                    + "\(Int64.max)")
        }
        try self.init(number)
    }

    public var description: String { String(number) }
}

/// A cardholder's name: nonempty text in Unicode Normalization Form C, without control characters.
///
/// Names are always normalized because the seal covers their bytes: two encodings of a name that
/// look the same must not result in different seals.
public struct HolderName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let text: String

    /// The maximum length in bytes. No supported chip has space for a longer name.
    public static let maximumBytes = 160

    /// Normalizes and checks a name. Refuses text that is empty, too long, or not valid UTF-8, or
    /// that contains control characters.
    public init(_ text: String) throws(Refusal) {
        let name = try composedName(text)
        let excess = name.utf8.count - HolderName.maximumBytes
        guard excess <= 0 else {
            throw Refusal(
                .badName,
                "the name is \(excess) \(excess == 1 ? "byte" : "bytes") too long; "
                    + "no chip holds more than \(HolderName.maximumBytes)")
        }
        self.text = name
    }

    public var description: String { text }
}

/// Converts a name to Unicode Normalization Form C. Refuses a name that is empty or not valid
/// UTF-8, that contains control characters, or that has more Unicode scalars than `limit`.
func composedName(_ text: String, atMost limit: Int = .max) throws(Refusal) -> String {
    var composed = String.UnicodeScalarView()
    for scalar in text._nfc { composed.append(scalar) }
    let name = String(composed)
    // A name made up of spaces and invisible characters would look empty.
    let isVisible = composed.contains {
        !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint
    }
    guard isVisible else {
        throw Refusal(.badName, "the name is empty; enter at least one visible character")
    }
    // Swift substitutes this character for bytes that are not UTF-8.
    guard !composed.contains("\u{FFFD}") else {
        throw Refusal(.badName, "the name is not valid UTF-8")
    }
    guard !composed.contains(where: \.isMisleading) else {
        throw Refusal(
            .badName, "the name \"\(printable(name))\" contains a control character")
    }
    guard composed.count <= limit else {
        throw Refusal(
            .badName, "the name has \(composed.count) characters; at most \(limit) are allowed")
    }
    return name
}
