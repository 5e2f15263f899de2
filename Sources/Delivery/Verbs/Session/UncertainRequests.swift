import BlockingLane
import TapcardDomain

/// The requests of this process whose outcome is unknown: the ledger may have begun them. Such a
/// request is never deferred.
package final class UncertainRequests: Sendable {
    /// More than a counter meets in an outage. Beyond it, the oldest are forgotten: the ledger
    /// notices a purchase under an id that it has begun.
    private static let most = 10_000
    private let ids = Guarded<[OperationID]>([])

    package init() {}

    func note(_ id: OperationID) {
        ids.withLock { ids in
            ids.append(id)
            if ids.count > UncertainRequests.most { ids.removeFirst() }
        }
    }

    func contains(_ id: OperationID) -> Bool { ids.withLock { $0.contains(id) } }
}
