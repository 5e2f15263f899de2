import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// The state of purchases that are booked later, for the page and the health check.
struct OfflineNews: Sendable, Equatable {
    let isOffline: Bool
    /// The most that may be unbooked.
    let limit: Money
    let unbooked: Money
    let purchases: Int
    /// The age of the snapshot in seconds; nil without one.
    let snapshotAge: Int64?
    /// Whether the snapshot counts.
    let isOffered: Bool
    /// When purchases were last booked, as in `--json`.
    let bookedAt: String?

    init(
        _ status: OfflinePayments.Status?, _ caps: OfflineLimits, isOffline: Bool,
        bookedAt: String?
    ) {
        (self.isOffline, self.bookedAt, limit) = (isOffline, bookedAt, caps.station)
        unbooked = Money(minorUnits: status?.unbooked ?? 0, limit.currency)
        purchases = status?.purchases ?? 0
        snapshotAge = status?.age?.components.seconds
        isOffered = status?.age.map { $0 <= caps.age } ?? false
    }

    /// The ledger is offline at a station that takes no offline payments.
    init(offlineWithoutAny currency: Currency) {
        let nothing = Money(minorUnits: 0, currency)
        self.init(
            nil, OfflineLimits(card: nothing, station: nothing, age: .zero), isOffline: true,
            bookedAt: nil)
    }

    /// A snapshot that grows older is no news.
    static func == (left: Self, right: Self) -> Bool {
        (left.isOffline, left.limit, left.unbooked, left.purchases)
            == (right.isOffline, right.limit, right.unbooked, right.purchases)
            && (left.isOffered, left.bookedAt) == (right.isOffered, right.bookedAt)
    }

    var document: JSONValue {
        let left = Money(
            minorUnits: max(limit.minorUnits - unbooked.minorUnits, 0), limit.currency)
        return [
            "offline": .bool(isOffline), "offered": .bool(isOffered),
            "unbooked": .text(unbooked), "purchases": .number(String(purchases)),
            "limit": .text(limit), "left": .text(left),
            "snapshotAge": snapshotAge.map { .number(String($0)) } ?? .null,
            "bookedAt": bookedAt.map { .string($0) } ?? .null,
        ]
    }
}
