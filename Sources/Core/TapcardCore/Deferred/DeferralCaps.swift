public import TapcardDomain

/// The limits within which a station defers purchases while its ledger is out of reach: the most
/// that the house can lose with it.
package struct DeferralCaps: Sendable, Hashable {
    /// The most that one card may pay at this station before the ledger has booked it.
    package var card: Money
    /// The most that the station may sell before the ledger has booked it.
    package var station: Money
    /// The age up to which the snapshot of the cards counts.
    package var age: Duration

    package init(card: Money, station: Money, age: Duration) {
        (self.card, self.station, self.age) = (card, station, age)
    }

    package static let standardAge = Duration.seconds(4 * 3_600)

    package static func standard(for currency: Currency) -> DeferralCaps {
        DeferralCaps(
            card: currency.roughly(dollars: 10), station: currency.roughly(dollars: 500),
            age: standardAge)
    }
}

/// The unsettled sum at a station after a deferred purchase, and the most that it may be.
public struct Deferral: Sendable, Hashable {
    /// The sum of the purchases that the ledger has not booked yet.
    public let unsettled: Money
    /// The most that this sum may be.
    public let limit: Money

    /// Creates the state of a station's deferred purchases.
    public init(unsettled: Money, limit: Money) {
        (self.unsettled, self.limit) = (unsettled, limit)
    }
}
