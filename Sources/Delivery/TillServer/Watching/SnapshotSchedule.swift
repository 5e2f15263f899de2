/// The schedule of booking offline payments and taking snapshots. A snapshot of a large ledger
/// takes long, and is taken less often: it costs the database at most a hundredth of its time.
package struct SnapshotSchedule: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package static let interval = Duration.seconds(300)
    /// The pause after a failure, when the ledger may be back.
    package static let pause = Duration.seconds(15)
    private static let share = 100

    private var next: Instant
    private var isRunning = false

    package init(_ now: Instant) { next = now }

    /// Whether the work is due; if so, it has begun. A till in use postpones it, but not forever.
    package mutating func begins(at now: Instant, isQuiet: Bool) -> Bool {
        let isOverdue = now >= next + SnapshotSchedule.interval
        guard !isRunning, now >= next, isQuiet || isOverdue else { return false }
        isRunning = true
        return true
    }

    /// Brings the next attempt forward, because the ledger may be back soon.
    package mutating func hasten(at now: Instant) {
        next = min(next, now + SnapshotSchedule.pause)
    }

    package mutating func end(at now: Instant, lasted: Duration, isDone: Bool) {
        isRunning = false
        let rest = max(SnapshotSchedule.interval, lasted * SnapshotSchedule.share)
        next = now + (isDone ? rest : SnapshotSchedule.pause)
    }
}
