import BlockingLane
package import Ledger

/// Records what an operator needs to know about the customer page: the number of requests with each
/// outcome since the server started, and events that need action. It stores no card numbers and no
/// network addresses of customers.
package final class CustomerWatch: Sendable {
    /// The outcome of one request.
    package enum Outcome: String, Sendable, CaseIterable {
        /// The form for a well-formed address. A link preview also gets the form.
        case opened
        /// A card's page, opened with an address that had not been used before.
        case fresh
        /// A page that the same browser had already been shown.
        case again
        /// An address that was already used, or that is older than the last one used.
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
        /// `count` codes that are not from the issuer's cards arrived within `seconds` seconds.
        case codesRefused(count: Int, seconds: Int)
    }

    /// The counts, and whether the ledger responded to the last request.
    package struct State: Sendable {
        package fileprivate(set) var counts: [Outcome: Int] = [:]
        package fileprivate(set) var ledgerWorks = true
    }

    /// The number of refused codes in a minute that counts as a burst. A customer with another
    /// issuer's card causes only a few.
    package static let burst = 30
    /// One minute, in milliseconds. The codes in a burst are counted over this span, and a lost
    /// ledger is reported at most once in it.
    private static let minute: Int64 = 60_000

    private struct Records {
        var state = State()
        /// When the ledger was last reported as lost; nil if it never was.
        var lostReportedAt: Int64?
        /// Whether the ledger was reported as lost and has not responded since.
        var isReportedLost = false
        var failed = 0
        /// The start of the minute in which codes are being counted; nil before the first code.
        var began: Int64?
        var codes = 0
        /// When a burst of codes was last reported; nil if none was.
        var burstReportedAt: Int64?
    }

    private let records = Guarded(Records())
    private let uptime: @Sendable () -> Int64
    private let report: @Sendable (Event) -> Void

    /// `uptime` is a monotonic clock, in milliseconds.
    package init(
        uptime: @escaping @Sendable () -> Int64, say: @escaping @Sendable (Event) -> Void
    ) {
        (self.uptime, report) = (uptime, say)
    }

    private static func isRecent(_ reportedAt: Int64?, _ now: Int64) -> Bool {
        reportedAt.map { now - $0 < minute } ?? false
    }

    package var state: State { records.withLock { $0.state } }

    func note(_ outcome: Outcome) {
        records.withLock { $0.state.counts[outcome, default: 0] += 1 }
    }

    /// Watches for a burst of codes that are not from the issuer's cards. Every code counts, even
    /// if the response is that there were too many requests.
    func recordWrongCode() {
        let now = uptime()
        let event = records.withLock { records -> Event? in
            if let began = records.began, (began..<began + CustomerWatch.minute).contains(now) {
                records.codes += 1
            } else {
                (records.began, records.codes) = (now, 1)
            }
            // A burst is reported at most once a minute, even if it spans two counted minutes.
            guard records.codes >= CustomerWatch.burst, let began = records.began,
                !CustomerWatch.isRecent(records.burstReportedAt, now)
            else { return nil }
            records.burstReportedAt = now
            return .codesRefused(count: records.codes, seconds: Int((now - began + 999) / 1_000))
        }
        if let event { report(event) }
    }

    func noteLedgerAnswered() {
        let event = records.withLock { records -> Event? in
            records.state.ledgerWorks = true
            // Failures in an outage that was not reported must not count toward a later outage.
            defer { (records.isReportedLost, records.failed) = (false, 0) }
            return records.isReportedLost ? .ledgerBack(failed: records.failed) : nil
        }
        if let event { report(event) }
    }

    /// Records that the ledger did not respond. Repeated failures are reported at most once a
    /// minute.
    func noteLedgerFailed(_ error: LedgerError) {
        let now = uptime()
        let event = records.withLock { records -> Event? in
            records.state.ledgerWorks = false
            records.failed += 1
            guard !records.isReportedLost, !CustomerWatch.isRecent(records.lostReportedAt, now)
            else {
                return nil
            }
            (records.isReportedLost, records.lostReportedAt) = (true, now)
            return .ledgerLost(error)
        }
        if let event { report(event) }
    }
}
