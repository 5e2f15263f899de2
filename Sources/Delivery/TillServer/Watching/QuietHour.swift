/// The schedule for checking the whole ledger file: once a day, after an hour in which the reader
/// was not used.
///
/// A tap reads only the pages of the file that it needs. Without this check, damage to other pages
/// might go unnoticed until no good backup is left.
package struct QuietHour: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package static let quiet = Duration.seconds(3_600)
    package static let interval = Duration.seconds(24 * 3_600)

    private var lastUse: Instant
    private var lastCheck: Instant?

    package init(_ now: Instant) { lastUse = now }

    package mutating func use(at now: Instant) { lastUse = now }

    /// Whether a check is due. If so, the next one is due in a day.
    package mutating func begins(at now: Instant) -> Bool {
        guard lastUse.duration(to: now) >= QuietHour.quiet,
            lastCheck.map({ $0.duration(to: now) >= QuietHour.interval }) ?? true
        else { return false }
        lastCheck = now
        return true
    }
}
