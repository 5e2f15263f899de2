import BlockingLane
package import Ledger

/// What an operator sees of the customers' page: counts of request outcomes since the start, and
/// events that need action. It keeps no card numbers and no addresses of people.
package final class CustomerWatch: Sendable {
    /// The outcome of one request.
    package enum Outcome: String, Sendable, CaseIterable {
        /// The form of an address that has the right form. A link preview gets it, too.
        case opened
        /// The page of a card, by an address that was not shown before.
        case fresh
        /// A repetition of that page, in the same browser.
        case again
        /// An address that was shown before, or an older one.
        case counter
        /// A code that no card of the issuer has made, or a card that the ledger does not know.
        case code
        /// An address or a form that no card shows.
        case form
        /// A name, a path or a method that the page does not have.
        case elsewhere
        /// Too many requests.
        case limited
        /// The ledger did not answer.
        case ledger
    }

    /// An event that an operator must act on.
    package enum Event: Sendable {
        case ledgerLost(LedgerError)
        /// The number of requests that failed in between.
        case ledgerBack(failed: Int)
        /// This many codes that no card has made came within this many seconds.
        case codesRefused(count: Int, seconds: Int)
    }

    /// The counts, and whether the ledger has answered the last question.
    package struct State: Sendable {
        package fileprivate(set) var counts: [Outcome: Int] = [:]
        package fileprivate(set) var ledgerWorks = true
    }

    /// Codes refused within one minute that make a burst: a customer with a foreign card makes a
    /// few.
    package static let burst = 30
    /// Milliseconds for which a burst is counted, and in which the ledger is reported lost once.
    private static let minute: Int64 = 60_000

    private struct Kept {
        var state = State()
        /// When the ledger was reported lost last; nil before the first time.
        var toldLost: Int64?
        /// Whether it was reported lost, and not back since.
        var isTold = false
        var failed = 0
        /// When the minute began in which codes are counted.
        var began: Int64?
        var codes = 0
        /// When a burst of codes was reported last; nil before the first time.
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
            // Once a minute, however many come and whenever their minute began.
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
            // Failures of an outage that was not reported do not count for a later one.
            defer { (kept.isTold, kept.failed) = (false, 0) }
            return kept.isTold ? .ledgerBack(failed: kept.failed) : nil
        }
        if let event { say(event) }
    }

    /// Notes that the ledger did not answer. One that comes and goes is reported once a minute.
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
