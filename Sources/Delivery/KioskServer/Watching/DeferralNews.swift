import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// The state of purchases that are booked later, for the page and the health check.
struct DeferralNews: Sendable, Equatable {
    let isOutOfReach: Bool
    /// The most that may be unsettled.
    let limit: Money
    let unsettled: Money
    let purchases: Int
    /// The age of the snapshot in seconds; nil without one.
    let snapshotAge: Int64?
    /// Whether the snapshot counts.
    let isOffered: Bool
    /// When purchases were last booked, as in `--json`.
    let settledAt: String?

    init(
        _ status: DeferredSales.Status?, _ caps: DeferralCaps, isOutOfReach: Bool,
        settledAt: String?
    ) {
        (self.isOutOfReach, self.settledAt, limit) = (isOutOfReach, settledAt, caps.station)
        unsettled = Money(minorUnits: status?.unsettled ?? 0, limit.currency)
        purchases = status?.purchases ?? 0
        snapshotAge = status?.age?.components.seconds
        isOffered = status?.age.map { $0 <= caps.age } ?? false
    }

    /// The ledger is out of reach at a station that defers nothing.
    init(outOfReachWithoutAny currency: Currency) {
        let nothing = Money(minorUnits: 0, currency)
        self.init(
            nil, DeferralCaps(card: nothing, station: nothing, age: .zero), isOutOfReach: true,
            settledAt: nil)
    }

    /// A snapshot that grows older is no news.
    static func == (left: Self, right: Self) -> Bool {
        (left.isOutOfReach, left.limit, left.unsettled, left.purchases)
            == (right.isOutOfReach, right.limit, right.unsettled, right.purchases)
            && (left.isOffered, left.settledAt) == (right.isOffered, right.settledAt)
    }

    var document: JSONValue {
        let left = Money(
            minorUnits: max(limit.minorUnits - unsettled.minorUnits, 0), limit.currency)
        return [
            "outOfReach": .bool(isOutOfReach), "offered": .bool(isOffered),
            "unsettled": .text(unsettled), "purchases": .number(String(purchases)),
            "limit": .text(limit), "left": .text(left),
            "snapshotAge": snapshotAge.map { .number(String($0)) } ?? .null,
            "settledAt": settledAt.map { .string($0) } ?? .null,
        ]
    }
}
