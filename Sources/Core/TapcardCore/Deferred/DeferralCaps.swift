public import TapcardDomain

/// The limits within which a station defers purchases while its ledger is out of reach: the most
/// that the house can lose with it.
public struct DeferralCaps: Sendable, Hashable {
    /// The most that one card may pay at this station before the ledger has booked it.
    public var card: Money
    /// The most that the station may sell before the ledger has booked it.
    public var station: Money
    /// The age up to which the snapshot of the cards counts.
    public var age: Duration

    public init(card: Money, station: Money, age: Duration) {
        (self.card, self.station, self.age) = (card, station, age)
    }

    public static let standardAge = Duration.seconds(4 * 3_600)

    public static func standard(for currency: Currency) -> DeferralCaps {
        DeferralCaps(
            card: currency.roughly(dollars: 10), station: currency.roughly(dollars: 500),
            age: standardAge)
    }
}

/// The unsettled sum at a station after a deferred purchase, and the most that it may be.
public struct Deferral: Sendable, Hashable {
    public let unsettled: Money
    public let limit: Money

    public init(unsettled: Money, limit: Money) {
        (self.unsettled, self.limit) = (unsettled, limit)
    }
}
