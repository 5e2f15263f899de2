public import TapcardDomain

/// The limits for offline payments. They cap the issuer's possible losses.
package struct OfflineLimits: Sendable, Hashable {
    /// The maximum total that one card may pay at this station before the ledger books the
    /// payments.
    package var card: Money
    /// The maximum total that the station may take before the ledger books the payments.
    package var station: Money
    /// The maximum age of the card snapshot.
    package var age: Duration

    package init(card: Money, station: Money, age: Duration) {
        (self.card, self.station, self.age) = (card, station, age)
    }

    package static let standardAge = Duration.seconds(4 * 3_600)

    package static func standard(for currency: Currency) -> OfflineLimits {
        OfflineLimits(
            card: currency.roughly(dollars: 10), station: currency.roughly(dollars: 500),
            age: standardAge)
    }
}

/// The sum of a station's unbooked payments, including the one just taken, and its limit.
public struct UnbookedPayments: Sendable, Hashable {
    /// The sum of the payments that the ledger has not booked yet.
    public let unbooked: Money
    /// The maximum for `unbooked`.
    public let limit: Money

    /// Creates the sum and its limit.
    public init(unbooked: Money, limit: Money) {
        (self.unbooked, self.limit) = (unbooked, limit)
    }
}
