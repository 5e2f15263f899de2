import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// The state of offline payments, for the page and the health check.
struct OfflineNews: Sendable, Equatable {
    let isOffline: Bool
    /// The maximum total of unbooked payments.
    let limit: Money
    let unbooked: Money
    let payments: Int
    /// The age of the snapshot in seconds; nil if there is none.
    let snapshotAge: Int64?
    /// Whether the snapshot is valid.
    let isOffered: Bool
    /// When offline payments were last booked, in the `--json` format.
    let bookedAt: String?

    init(
        _ status: OfflinePayments.Status?, _ limits: OfflineLimits, isOffline: Bool,
        bookedAt: String?
    ) {
        (self.isOffline, self.bookedAt, limit) = (isOffline, bookedAt, limits.station)
        unbooked = Money(minorUnits: status?.unbooked ?? 0, limit.currency)
        payments = status?.payments ?? 0
        snapshotAge = status?.age?.components.seconds
        isOffered = status?.age.map { $0 <= limits.age } ?? false
    }

    /// Reports that the ledger is offline, for a station that does not accept offline payments.
    init(offlineWithoutAny currency: Currency) {
        let nothing = Money(minorUnits: 0, currency)
        self.init(
            nil, OfflineLimits(card: nothing, station: nothing, age: .zero), isOffline: true,
            bookedAt: nil)
    }

    /// Ignores the snapshot's age, which changes constantly and is not news.
    static func == (left: Self, right: Self) -> Bool {
        (left.isOffline, left.limit, left.unbooked, left.payments)
            == (right.isOffline, right.limit, right.unbooked, right.payments)
            && (left.isOffered, left.bookedAt) == (right.isOffered, right.bookedAt)
    }

    var document: JSONValue {
        let left = Money(
            minorUnits: max(limit.minorUnits - unbooked.minorUnits, 0), limit.currency)
        return [
            "offline": .bool(isOffline), "offered": .bool(isOffered),
            "unbooked": .text(unbooked), "payments": .number(String(payments)),
            "limit": .text(limit), "left": .text(left),
            "snapshotAge": snapshotAge.map { .number(String($0)) } ?? .null,
            "bookedAt": bookedAt.map { .string($0) } ?? .null,
        ]
    }
}
