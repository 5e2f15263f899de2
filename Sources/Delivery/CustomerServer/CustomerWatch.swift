import BlockingLane
package import Ledger

/// What an operator sees of the customer page: counts of request outcomes since the start, and
/// events that need action. It does not keep any card numbers or customers' addresses.
package final class CustomerWatch: Sendable {
    /// The outcome of one request.
    package enum Outcome: String, Sendable, CaseIterable {
        /// The form for a well-formed address. A link preview gets the form, too.
        case opened
        /// A card's page, opened by an address that was not used before.
        case fresh
        /// A card's page again, in the same browser.
        case again
        /// An address that was used before, or an older address.
        case counter
        /// A code that was not made by a card of the issuer, or a card that is not in the ledger.
        case code
        /// An address or a form that no card produces.
        case form
        /// A name, path, or method that the page does not have.
        case elsewhere
        /// Too many requests.
        case limited
        /// The ledger did not respond.
        case ledger
    }

    /// An event that an operator must act on.
    package enum Event: Sendable {
        case ledgerLost(LedgerError)
        /// The number of requests that failed in between.
        case ledgerBack(failed: Int)
        /// This many codes that were not made by a card arrived within this many seconds.
        case codesRefused(count: Int, seconds: Int)
    }

    /// The counts, and whether the ledger answered the last request.
    package struct State: Sendable {
        package fileprivate(set) var counts: [Outcome: Int] = [:]
        package fileprivate(set) var ledgerWorks = true
    }

    /// The number of codes refused within one minute that counts as a burst; a customer with
    /// another issuer's card causes only a few.
    package static let burst = 30
    /// Milliseconds over which a burst is counted and in which a lost ledger is reported once.
    private static let minute: Int64 = 60_000

    private struct Kept {
        var state = State()
        /// When the ledger was last reported lost; nil before the first time.
        var toldLost: Int64?
        /// Whether the ledger was reported lost and has not been reported back since.
        var isTold = false
        var failed = 0
        /// When the minute in which codes are counted began.
        var began: Int64?
        var codes = 0
        /// When a burst of codes was last reported; nil before the first time.
        var toldCodes: Int64?
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

    /// Watches for a burst of codes that are not from the issuer, whatever the sender is shown.
    func noteWrongCode() {
        let now = uptime()
        let event = kept.withLock { kept -> Event? in
            if let began = kept.began, (began..<began + CustomerWatch.minute).contains(now) {
                kept.codes += 1
            } else {
                (kept.began, kept.codes) = (now, 1)
            }
            // Once a minute, however many arrive and whenever their minute began.
            guard kept.codes >= CustomerWatch.burst, let began = kept.began,
                !CustomerWatch.isRecent(kept.toldCodes, now)
            else { return nil }
            kept.toldCodes = now
            return .codesRefused(count: kept.codes, seconds: Int((now - began + 999) / 1_000))
        }
        if let event { say(event) }
    }

    func noteLedgerAnswered() {
        let event = kept.withLock { kept -> Event? in
            kept.state.ledgerWorks = true
            // Failures during an unreported outage do not count toward a later outage.
            defer { (kept.isTold, kept.failed) = (false, 0) }
            return kept.isTold ? .ledgerBack(failed: kept.failed) : nil
        }
        if let event { say(event) }
    }

    /// Notes that the ledger did not answer. If it comes and goes, that is reported once a minute.
    func noteLedgerFailed(_ error: LedgerError) {
        let now = uptime()
        let event = kept.withLock { kept -> Event? in
            kept.state.ledgerWorks = false
            kept.failed += 1
            guard !kept.isTold, !CustomerWatch.isRecent(kept.toldLost, now) else { return nil }
            (kept.isTold, kept.toldLost) = (true, now)
            return .ledgerLost(error)
        }
        if let event { say(event) }
    }
}
