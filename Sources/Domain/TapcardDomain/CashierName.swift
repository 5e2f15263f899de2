/// A cashier's name: nonempty text in Unicode Normalization Form C, without control characters.
public struct CashierName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let text: String

    /// The maximum length, in Unicode scalars after normalization.
    public static let maximumLength = 40

    /// Normalizes and checks a name. Refuses text that is empty, too long, or not valid UTF-8, or
    /// that contains control characters.
    public init(_ text: String) throws(Refusal) {
        let name = try composedName(text)
        guard name.unicodeScalars.count <= CashierName.maximumLength else {
            throw Refusal(
                .badName,
                "the name has \(name.unicodeScalars.count) characters; at most "
                    + "\(CashierName.maximumLength) are allowed")
        }
        self.text = name
    }

    public var description: String { text }
}
