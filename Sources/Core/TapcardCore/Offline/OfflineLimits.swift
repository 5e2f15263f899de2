public import TapcardDomain

/// The limits for offline payments: the maximum that the issuer can lose because of them.
package struct OfflineLimits: Sendable, Hashable {
    /// The maximum that may be paid with one card at this station before the ledger books it.
    package var card: Money
    /// The maximum that the station may take before the ledger books it.
    package var station: Money
    /// How old the snapshot of the cards may be.
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

/// The unbooked sum at a station after an offline payment, and its limit.
public struct UnbookedPayments: Sendable, Hashable {
    /// The sum of the payments that the ledger has not booked yet.
    public let unbooked: Money
    /// The maximum for this sum.
    public let limit: Money

    /// Creates the state of a station's offline payments.
    public init(unbooked: Money, limit: Money) {
        (self.unbooked, self.limit) = (unbooked, limit)
    }
}
