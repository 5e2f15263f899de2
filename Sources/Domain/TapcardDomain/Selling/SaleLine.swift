/// One line of a sale, with the name and price of that moment.
public struct SaleLine: Hashable, Sendable {
    /// The product that was sold; nil for an amount that the cashier typed.
    public let product: ProductID?
    /// The name at the time of the sale.
    public let name: SaleText
    /// The price of one piece in minor units; negative for a deposit that is returned.
    public let price: Int64
    /// The number of pieces.
    public let quantity: Int

    /// The quantities that a line can have.
    public static let possibleQuantities = 1...999
    /// The prices that a line can have, in minor units.
    public static let possiblePrices = -Currency.largestBalance...Currency.largestBalance

    /// Creates a line. Refuses a quantity or a price that no sale can have.
    public init(
        product: ProductID? = nil, name: SaleText, price: Int64, quantity: Int = 1
    ) throws(Refusal) {
        guard SaleLine.possibleQuantities.contains(quantity) else {
            throw Refusal(
                .badAmount,
                "the quantity \(quantity) is not valid; it must be "
                    + SaleLine.possibleQuantities.words)
        }
        guard SaleLine.possiblePrices.contains(price) else {
            throw Refusal(.badAmount, "the price of \(name) is too large")
        }
        (self.product, self.name, self.price, self.quantity) = (product, name, price, quantity)
    }

    /// The price of all pieces, in minor units.
    public var amount: Int64 { price * Int64(quantity) }
}

extension [SaleLine] {
    /// The most lines that one sale can have.
    public static var maximumCount: Int { 100 }

    /// The sum of the lines, in minor units.
    public var total: Int64 { reduce(0) { $0 + $1.amount } }
}

/// The lines of a sale as text, one line of text each: quantity, price, product, and name,
/// separated by tabs.
extension [SaleLine] {
    /// The text to store; nil if there are no lines.
    package var stored: String? {
        isEmpty
            ? nil
            : map { "\($0.quantity)\t\($0.price)\t\($0.product?.description ?? "-")\t\($0.name)" }
                .joined(separator: "\n")
    }

    /// Parses the stored text; nil if no sale could have stored it.
    package init?(stored text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(SaleLine.init)
        self = lines.compactMap(\.self)
        // Reports compare the text, so a different spelling would count as a different sale.
        guard count == lines.count, count <= Self.maximumCount, stored == text else { return nil }
    }
}

extension SaleLine {
    fileprivate init?(_ line: Substring) {
        let cells = line.split(
            separator: "\t", maxSplits: 3, omittingEmptySubsequences: false
        ).map(String.init)
        guard cells.count == 4, let quantity = Int(cells[0]), let price = Int64(cells[1]),
            let name = try? SaleText(cells[3])
        else { return nil }
        let product = ProductID(cells[2])
        guard product != nil || cells[2] == "-" else { return nil }
        try? self.init(product: product, name: name, price: price, quantity: quantity)
    }
}
