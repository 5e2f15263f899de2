/// The name of a person who works at a station: composed Unicode without control characters, and
/// not empty.
public struct CashierName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let text: String

    /// The maximum length, in Unicode scalars of the composed form.
    public static let longest = 40

    /// Checks a name. Refuses a name that is empty, too long, or contains control characters.
    public init(_ text: String) throws(Refusal) {
        let name = try composedName(text)
        guard name.unicodeScalars.count <= CashierName.longest else {
            throw Refusal(
                .badName,
                "the name has \(name.unicodeScalars.count) characters; at most "
                    + "\(CashierName.longest) are allowed")
        }
        self.text = name
    }

    public var description: String { text }
}
