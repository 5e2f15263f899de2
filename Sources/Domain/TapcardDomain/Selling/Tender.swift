/// A way to pay other than with the balance of a card.
public enum Tender: String, Sendable, CaseIterable {
    /// Cash, which goes into the drawer.
    case cash
    /// A bank card at a separate card terminal.
    case terminal
    /// Any other way, such as a voucher or an invoice.
    case other
}

/// An amount that was paid with a tender.
public struct TenderedAmount: Hashable, Sendable {
    /// The way in which the amount was paid.
    public let tender: Tender
    /// The amount in minor units, more than 0.
    public let amount: Int64

    /// Creates an amount; nil unless it is more than 0 and no more than a card can hold.
    public init?(_ tender: Tender, _ amount: Int64) {
        guard (1...Currency.largestBalance).contains(amount) else { return nil }
        (self.tender, self.amount) = (tender, amount)
    }
}

/// What a payment with a card pays for.
public struct Sale: Hashable, Sendable {
    /// What is sold; empty if the cashier entered only an amount.
    public let lines: [SaleLine]
    /// The part that the customer pays in another way, because the card's balance is too low.
    public let rest: TenderedAmount?

    /// Creates a sale.
    public init(_ lines: [SaleLine], rest: TenderedAmount? = nil) {
        (self.lines, self.rest) = (lines, rest)
    }

    /// A sale of which only the amount is known.
    public static let unitemized = Sale([])

    /// Whether the lines add up to this amount together with the rest. Without lines, every amount
    /// is possible.
    public func addsUp(to amount: Int64) -> Bool {
        lines.isEmpty || lines.total == amount + (rest?.amount ?? 0)
    }
}
