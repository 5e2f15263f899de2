/// A way to pay other than with the card's balance.
public enum Tender: String, Sendable, CaseIterable {
    /// Cash, which goes into the drawer.
    case cash
    /// A bank card at a terminal.
    case terminal
    /// Any other way to pay.
    case other
}

/// An amount that is paid or returned with one tender.
public struct TenderedAmount: Hashable, Sendable {
    /// How the amount is paid or returned.
    public let tender: Tender
    /// The amount in minor units, always more than 0.
    public let amount: Int64

    /// Creates an amount. Returns nil unless it is from 1 to ``Currency/largestBalance``.
    public init?(_ tender: Tender, _ amount: Int64) {
        guard (1...Currency.largestBalance).contains(amount) else { return nil }
        (self.tender, self.amount) = (tender, amount)
    }
}

/// What is sold with one payment.
public struct Sale: Hashable, Sendable {
    /// What is sold; empty if only the amount is known.
    public let lines: [SaleLine]
    /// The part of the sale that is not paid with the card; nil if the card pays for everything.
    public let rest: TenderedAmount?

    /// Creates a sale. To check it against the amount to be paid, use ``addsUp(to:)``.
    public init(_ lines: [SaleLine], rest: TenderedAmount? = nil) {
        (self.lines, self.rest) = (lines, rest)
    }

    /// A sale of which only the amount is known.
    public static let unitemized = Sale([])

    /// Whether the lines add up to the amount that the card pays plus the rest. A sale without
    /// lines always does. The amount is in minor units, and negative for a credit, which adds money
    /// to the card.
    public func addsUp(to amount: Int64) -> Bool {
        lines.isEmpty || lines.total == amount + (rest?.amount ?? 0)
    }
}
