/// The schedule for booking offline payments and taking snapshots. The longer a snapshot takes, the
/// less often one is taken, so that snapshots use at most one percent of the database's time.
package struct SnapshotSchedule: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package static let interval = Duration.seconds(300)
    /// The delay after a failure. It is short, because the ledger may be back soon.
    package static let pause = Duration.seconds(15)
    /// The pause after the work is at least this many times as long as the work: 100, for one
    /// percent.
    private static let pausePerWork = 100

    private var next: Instant
    private var isRunning = false

    package init(_ now: Instant) { next = now }

    /// Whether the work is due. If it is, it counts as begun. Use of the till postpones the work,
    /// but only for a limited time.
    package mutating func begins(at now: Instant, isQuiet: Bool) -> Bool {
        let isOverdue = now >= next + SnapshotSchedule.interval
        guard !isRunning, now >= next, isQuiet || isOverdue else { return false }
        isRunning = true
        return true
    }

    /// Brings the next attempt forward, because the ledger may be back soon.
    package mutating func bringForward(at now: Instant) {
        next = min(next, now + SnapshotSchedule.pause)
    }

    package mutating func end(at now: Instant, duration: Duration, isDone: Bool) {
        isRunning = false
        let rest = max(SnapshotSchedule.interval, duration * SnapshotSchedule.pausePerWork)
        next = now + (isDone ? rest : SnapshotSchedule.pause)
    }
}
