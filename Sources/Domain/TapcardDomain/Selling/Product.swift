/// The ID of a product, which never changes.
public typealias ProductID = UniqueID

/// A product that a till sells. Its price and everything else about it can change, but each sale
/// keeps the name and price of its own time.
public struct Product: Hashable, Sendable, Identifiable {
    /// The color of a product's tile.
    public enum Color: String, Sendable, CaseIterable {
        case red, orange, yellow, green, blue, purple, gray
    }

    /// The product's ID.
    public let id: ProductID
    /// The name on the tile and on receipts.
    public var name: SaleText
    /// The group that the tile is shown in; nil for products without a group.
    public var group: SaleText?
    /// The price in minor units; nil if the cashier enters it for each sale.
    public var price: Int64?
    /// The color of the tile; nil for the default.
    public var color: Color?
    /// The position of the tile within its group, from the lowest to the highest.
    public var position: Int
    /// The deposit that is sold with the product, such as a cup.
    public var deposit: ProductID?
    /// The age that the cashier must check, if any.
    public var minimumAge: Int?
    /// Whether the product cannot be sold for now.
    public var isSoldOut: Bool
    /// Whether the product is no longer sold. It stays in the ledger for reports.
    public var isRetired: Bool

    /// The prices that a product can have, in minor units.
    public static let possiblePrices: ClosedRange<Int64> = 0...Currency.largestBalance
    /// The positions that a product can have.
    public static let possiblePositions = 0...9_999
    /// The ages that a product can require.
    public static let possibleAges = 1...99

    /// Creates a product.
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

/// The name of a product or a group: nonempty text without control characters.
public struct SaleText: Hashable, Sendable, CustomStringConvertible {
    /// The text.
    public let text: String

    /// The maximum length, in Unicode scalars after normalization.
    public static let maximumLength = 40

    /// Normalizes and checks a name. Refuses text that is empty, too long, or not valid UTF-8, or
    /// that contains control characters.
    public init(_ text: String) throws(Refusal) {
        let name = try composedName(text)
        guard name.unicodeScalars.count <= SaleText.maximumLength else {
            throw Refusal(
                .badName,
                "the name has \(name.unicodeScalars.count) characters; at most "
                    + "\(SaleText.maximumLength) are allowed")
        }
        self.text = name
    }

    public var description: String { text }
}
