/// A cashier's name: nonempty text in Unicode Normalization Form C, without control characters.
public struct CashierName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let text: String

    /// The maximum length, in Unicode scalars after normalization.
    public static let maximumLength = 40

    /// Normalizes and checks a name. Refuses text that is empty, too long, or not valid UTF-8, or
    /// that contains control characters.
    public init(_ text: String) throws(Refusal) {
        self.text = try composedName(text, atMost: CashierName.maximumLength)
    }

    public var description: String { text }
}
