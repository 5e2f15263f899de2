/// The ID of a product. A product keeps its ID when it is renamed, or when it is sold again after
/// it was retired.
public typealias ProductID = UniqueID

/// A thing with a name and a price that tills sell. A deposit, such as the one for a cup, is a
/// product of its own.
public struct Product: Hashable, Sendable, Identifiable {
    /// The colors that a product's tile can have.
    public enum Color: String, Sendable, CaseIterable {
        /// A color by its everyday name; the till page defines the shade.
        case red, orange, yellow, green, blue, purple, gray
    }

    /// The ID by which sale lines and other products refer to this product.
    public let id: ProductID
    /// The name. Each sale keeps its own copy, so renaming a product does not change earlier sales.
    public var name: SaleText
    /// The group in which the till page shows the product; nil if it is in none.
    public var group: SaleText?
    /// The price in minor units; nil if the cashier enters a price for each sale.
    public var price: Int64?
    /// The color of the tile; nil if none was chosen.
    public var color: Color?
    /// The position of the tile. Lower numbers come first; products with the same position are
    /// sorted by name.
    public var position: Int
    /// The product that is sold along with this one as its deposit; nil if there is none.
    public var deposit: ProductID?
    /// The minimum age in years that the cashier has to check; nil if there is none.
    public var minimumAge: Int?
    /// Whether tills refuse to sell the product until it is available again.
    public var isSoldOut: Bool
    /// Whether the product is no longer sold. Products are retired instead of deleted, because
    /// earlier sales refer to them.
    public var isRetired: Bool

    /// The prices that a ledger can store, in minor units.
    public static let possiblePrices: ClosedRange<Int64> = 0...Currency.largestBalance
    /// The positions that a ledger can store.
    public static let possiblePositions = 0...9_999
    /// The minimum ages that a ledger can store, in years.
    public static let possibleAges = 1...99

    /// Creates a product. It does not check that the values are in the ranges that a ledger can
    /// store.
    public init(
        id: ProductID, name: SaleText, group: SaleText? = nil, price: Int64?,
        color: Color? = nil, position: Int = 0, deposit: ProductID? = nil,
        minimumAge: Int? = nil, isSoldOut: Bool = false, isRetired: Bool = false
    ) {
        (self.id, self.name, self.group, self.price) = (id, name, group, price)
        (self.color, self.position, self.deposit) = (color, position, deposit)
        (self.minimumAge, self.isSoldOut, self.isRetired) = (minimumAge, isSoldOut, isRetired)
    }
}

/// A short text for selling: the name of a product, a group, a sale line, or a till, or the reason
/// for putting cash into the drawer or taking it out. It is never empty, is in Unicode
/// Normalization Form C, and has no control characters.
public struct SaleText: Hashable, Sendable, CustomStringConvertible {
    /// The normalized text.
    public let text: String

    /// The maximum length, in Unicode scalars after normalization.
    public static let maximumLength = 40

    /// Normalizes and checks a text.
    ///
    /// - Throws: A refusal (``Refusal/Rule/badName``) if the text is empty, too long, or not valid
    ///   UTF-8, or if it contains control characters.
    public init(_ text: String) throws(Refusal) {
        self.text = try composedName(text, atMost: SaleText.maximumLength)
    }

    /// The same as ``text``.
    public var description: String { text }
}
