/// One line of a sale: how many units of something were sold or returned, and at what price.
public struct SaleLine: Hashable, Sendable {
    /// The product that was sold or returned; nil if the cashier entered only an amount.
    public let product: ProductID?
    /// The name at the time of the sale, even if the product has been renamed since.
    public let name: SaleText
    /// The price of one unit in minor units, negative for a returned deposit.
    public let price: Int64
    /// The number of units, always more than 0. A returned deposit has a negative price instead.
    public let quantity: Int

    /// The quantities that a line can have.
    public static let possibleQuantities = 1...999
    /// The prices that one unit can have, in minor units.
    public static let possiblePrices = -Currency.largestBalance...Currency.largestBalance

    /// Creates a line.
    ///
    /// - Throws: A refusal (``Refusal/Rule/badAmount``) if the quantity or the price is out of
    ///   range.
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

    /// The price of all units together, in minor units.
    public var amount: Int64 { price * Int64(quantity) }
}

extension [SaleLine] {
    /// The maximum number of lines in one sale. The ledger refuses a sale that has more.
    public static var maximumCount: Int { 100 }

    /// The sum of the lines in minor units. It is negative if the returned deposits are worth more
    /// than what is sold.
    public var total: Int64 { reduce(0) { $0 + $1.amount } }
}

extension [SaleLine] {
    /// The lines as the ledger stores them; nil if there are none. Each line of the text has the
    /// quantity, the price, the product's ID or "-", and the name, separated by tabs.
    package var stored: String? {
        isEmpty
            ? nil
            : map { "\($0.quantity)\t\($0.price)\t\($0.product?.description ?? "-")\t\($0.name)" }
                .joined(separator: "\n")
    }

    /// Parses the text made by ``stored``. Returns nil for any other text, even for another
    /// spelling of the same lines, and if there are more than ``maximumCount`` lines.
    package init?(stored text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(SaleLine.init)
        self = lines.compactMap(\.self)
        // Reports compare the text, so a different spelling would count as a different sale.
        guard count == lines.count, count <= Self.maximumCount, stored == text else { return nil }
    }
}

extension SaleLine {
    /// Parses one line of the stored text.
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
