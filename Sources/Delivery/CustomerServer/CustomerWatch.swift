import BlockingLane
package import Ledger

/// What an operator can see of the customer page: counts of request outcomes since the start, and
/// events that need action. It does not store card numbers or customers' network addresses.
package final class CustomerWatch: Sendable {
    /// The outcome of one request.
    package enum Outcome: String, Sendable, CaseIterable {
        /// The form for a well-formed address. A link preview also gets the form.
        case opened
        /// A card's page, opened with an address that had not been used before.
        case fresh
        /// A card's page again, in the same browser.
        case again
        /// An address that was already used or that is older than the last address used.
        case counter
        /// A code that is not from one of the issuer's cards, or a card that is not in the ledger.
        case code
        /// A malformed address or form, which no card produces.
        case form
        /// A host name, path, or method that the page does not support.
        case elsewhere
        /// Too many requests.
        case limited
        /// The ledger did not respond.
        case ledger
    }

    /// An event that an operator has to act on.
    package enum Event: Sendable {
        case ledgerLost(LedgerError)
        /// The number of requests that failed during the outage.
        case ledgerBack(failed: Int)
        /// This many codes that are not from the issuer's cards arrived within this many seconds.
        case codesRefused(count: Int, seconds: Int)
    }

    /// The counts, and whether the ledger responded to the last request.
    package struct State: Sendable {
        package fileprivate(set) var counts: [Outcome: Int] = [:]
        package fileprivate(set) var ledgerWorks = true
    }

    /// How many refused codes within a minute count as a burst. A customer with another issuer's
    /// card causes only a few.
    package static let burst = 30
    /// One minute, in milliseconds: the span over which a burst is counted and in which a lost
    /// ledger is reported at most once.
    private static let minute: Int64 = 60_000

    private struct Kept {
        var state = State()
        /// When the ledger was last reported as lost; nil if it never was.
        var lostReportedAt: Int64?
        /// Whether the ledger was reported as lost and has not responded since.
        var isReportedLost = false
        var failed = 0
        /// When the current minute of counting codes began.
        var began: Int64?
        var codes = 0
        /// When a burst of codes was last reported; nil if none was.
        var burstReportedAt: Int64?
    }

    private let kept = Guarded(Kept())
    private let uptime: @Sendable () -> Int64
    private let say: @Sendable (Event) -> Void

    /// `uptime` is a monotonic clock, in milliseconds.
    package init(
        uptime: @escaping @Sendable () -> Int64, say: @escaping @Sendable (Event) -> Void
    ) {
        (self.uptime, self.say) = (uptime, say)
    }

    private static func isRecent(_ told: Int64?, _ now: Int64) -> Bool {
        told.map { now - $0 < minute } ?? false
    }

    package var state: State { kept.withLock { $0.state } }

    func note(_ outcome: Outcome) {
        kept.withLock { $0.state.counts[outcome, default: 0] += 1 }
    }

    /// Watches for a burst of codes that are not from the issuer's cards. Every code counts, even
    /// if its sender is told that there were too many requests.
    func recordWrongCode() {
        let now = uptime()
        let event = kept.withLock { kept -> Event? in
            if let began = kept.began, (began..<began + CustomerWatch.minute).contains(now) {
                kept.codes += 1
            } else {
                (kept.began, kept.codes) = (now, 1)
            }
            // A burst is reported at most once a minute, even if it spans two counted minutes.
            guard kept.codes >= CustomerWatch.burst, let began = kept.began,
                !CustomerWatch.isRecent(kept.burstReportedAt, now)
            else { return nil }
            kept.burstReportedAt = now
            return .codesRefused(count: kept.codes, seconds: Int((now - began + 999) / 1_000))
        }
        if let event { say(event) }
    }

    func noteLedgerAnswered() {
        let event = kept.withLock { kept -> Event? in
            kept.state.ledgerWorks = true
            // Failures in an outage that was not reported must not count toward a later outage.
            defer { (kept.isReportedLost, kept.failed) = (false, 0) }
            return kept.isReportedLost ? .ledgerBack(failed: kept.failed) : nil
        }
        if let event { say(event) }
    }

    /// Records that the ledger did not respond. If it fails again and again, that is reported at
    /// most once a minute.
    func noteLedgerFailed(_ error: LedgerError) {
        let now = uptime()
        let event = kept.withLock { kept -> Event? in
            kept.state.ledgerWorks = false
            kept.failed += 1
            guard !kept.isReportedLost, !CustomerWatch.isRecent(kept.lostReportedAt, now) else {
                return nil
            }
            (kept.isReportedLost, kept.lostReportedAt) = (true, now)
            return .ledgerLost(error)
        }
        if let event { say(event) }
    }
}
