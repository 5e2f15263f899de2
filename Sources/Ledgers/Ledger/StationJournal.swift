public import TapcardDomain

/// The ID of a station's journal, chosen at random when the station creates it.
public typealias JournalID = UniqueID

/// A station's journal of offline payments, as reported to the ledger.
public struct StationJournal: Hashable, Sendable, Identifiable {
    /// The journal's ID.
    public let id: JournalID
    /// The station's login, as determined by the ledger; nil in a ledger without logins.
    public var station: String?
    /// The highest number of any payment that has been booked.
    public var booked: Int64
    /// The highest number of any payment that the station has reported.
    public var written: Int64
    /// The number of payments with numbers below `booked` that were never booked.
    public var missing: Int64
    /// When the station last reported.
    public var reportedAt: Timestamp
    /// The time until which the station may take offline payments without reporting again.
    public var until: Timestamp
    /// The maximum amount in offline payments that the station may have outstanding, in minor
    /// units.
    public var limit: Int64
    /// When the owner wrote off the missing payments. Payments found missing later count again.
    public var writtenOffAt: Timestamp?

    /// Creates a journal's row.
    public init(
        id: JournalID, station: String? = nil, booked: Int64 = 0, written: Int64 = 0,
        missing: Int64 = 0, reportedAt: Timestamp, until: Timestamp, limit: Int64 = 0,
        writtenOffAt: Timestamp? = nil
    ) {
        (self.id, self.station, self.booked) = (id, station, booked)
        (self.written, self.missing, self.reportedAt) = (written, missing, reportedAt)
        (self.until, self.limit, self.writtenOffAt) = (until, limit, writtenOffAt)
    }
}

/// A station's report on its journal.
public struct JournalReport: Hashable, Sendable {
    /// The journal's ID.
    public let id: JournalID
    /// The highest number in the journal; 0 if it has no lines.
    public let written: Int64
    /// How long from now the station may take offline payments.
    public let duration: Duration
    /// The maximum amount in offline payments that the station may have outstanding, in minor
    /// units.
    public let limit: Int64

    /// Creates a report on a journal.
    public init(id: JournalID, written: Int64, duration: Duration, limit: Int64) {
        (self.id, self.written, self.duration, self.limit) = (id, written, duration, limit)
    }
}

/// A reason to check on a station's journal.
public struct JournalConcern: Hashable, Sendable {
    /// Why payments may be missing.
    public enum Reason: String, Sendable, CaseIterable {
        /// Payments that the station has reported have not been booked yet.
        case unbooked
        /// Later payments were booked, but some before them were not.
        case missing
        /// The journal ends before the last payment booked from it, so it is an older copy.
        case old
        /// The station has reported a different journal since.
        case replaced
        /// The station may have taken offline payments, and has not reported in time.
        case silent
    }

    /// The journal.
    public let journal: StationJournal
    /// The reason for the concern.
    public let reason: Reason
    /// The number of payments, if known.
    public let payments: Int64?
}

extension LedgerStore {
    /// Records a station's report. The station may take offline payments only after this.
    public func note(
        _ report: JournalReport, at now: Timestamp
    ) async throws(LedgerError) {
        try await write { rows throws(LedgerError) in
            var journal =
                try rows.journal(report.id)
                // A restored ledger may have lost the row, so all lines up to now count as booked.
                ?? StationJournal(
                    id: report.id, booked: report.written, reportedAt: now, until: now)
            journal.written = report.written
            journal.reportedAt = now
            journal.until = now.adding(milliseconds: report.duration.inMilliseconds)
            journal.limit = report.limit
            try rows.save(journal)
        }
    }

    /// The journals of offline payments, in the order in which they were first reported.
    public func journals() async throws(LedgerError) -> [StationJournal] {
        try await read { rows throws(LedgerError) in try rows.journals() }
    }

    /// Writes off the payments missing from a journal. Returns false if the journal is not in this
    /// ledger.
    public func writeOff(
        _ id: JournalID, at now: Timestamp
    ) async throws(LedgerError) -> Bool {
        try await write { rows throws(LedgerError) in
            guard var journal = try rows.journal(id) else { return false }
            // The missing payments count as booked from now on, so they are no longer a concern.
            let last = max(journal.booked, journal.written)
            (journal.booked, journal.written) = (last, last)
            try rows.save(journal)
            try rows.recordWriteOff(of: id, at: now)
            return true
        }
    }
}

extension LedgerRows {
    /// Records that this payment was booked, and how many numbers were skipped before it.
    func note(_ payment: OfflinePayment, at now: Timestamp) throws(LedgerError) {
        let (id, number) = (payment.journal, payment.number)
        // A restored ledger may have lost the journal's row, but the station still has the lines.
        var journal =
            try journal(id)
            ?? StationJournal(id: id, booked: number - 1, reportedAt: now, until: now)
        // A line that is sent again, as after a lost response, counts only once.
        guard number > journal.booked else { return }
        // None of the numbers between the last booked payment and this one was booked.
        journal.missing += number - journal.booked - 1
        journal.booked = number
        journal.written = max(journal.written, number)
        try save(journal)
    }
}

extension StationJournal {
    fileprivate var isWrittenOff: Bool { writtenOffAt.map { $0 >= reportedAt } ?? false }
}

extension [StationJournal] {
    /// The journals with payments that may be missing. If no time is given, overdue reports are not
    /// a concern.
    public func concerns(at now: Timestamp?) -> [JournalConcern] {
        compactMap { journal in
            func concern(
                _ reason: JournalConcern.Reason, _ payments: Int64? = nil
            ) -> JournalConcern {
                JournalConcern(journal: journal, reason: reason, payments: payments)
            }
            // Only the first reason that applies is reported.
            if journal.missing > 0 { return concern(.missing, journal.missing) }
            if journal.written < journal.booked { return concern(.old) }
            if journal.written > journal.booked {
                return concern(.unbooked, journal.written - journal.booked)
            }
            // No further report is expected of a journal that was written off.
            if journal.isWrittenOff { return nil }
            let isReplaced = contains { other in
                other.station != nil && other.station == journal.station
                    && other.id != journal.id && journal.reportedAt < other.reportedAt
            }
            if isReplaced { return concern(.replaced) }
            if let now, journal.until < now { return concern(.silent) }
            return nil
        }
    }
}

extension Duration {
    var inMilliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
