package import CardCryptography
package import Ledger
import OperatingSystem
package import TapcardCore
package import TapcardDomain

/// The payments that a station takes while its ledger is offline. They are written to the station's
/// journal and booked when the ledger is back online.
package struct OfflinePayments: Sendable {
    private let journal: JournalFile
    private let snapshot: SnapshotFile
    private let memoryPath: String

    /// The journal and the snapshot are in `folder`, the station's data folder. `memory` is the
    /// path of the file that holds the station's memory.
    package init(in folder: String, memory: String) {
        journal = JournalFile(folder + "/deferred.journal")
        snapshot = SnapshotFile(folder + "/deferred.snapshot")
        memoryPath = memory
    }

    /// The state of the files, for monitoring.
    package struct Status: Sendable, Hashable {
        package let currency: Currency
        /// The sum of the unbooked payments, in minor units.
        package let unbooked: Int64
        package let payments: Int
        package let oldest: Timestamp?
        package let cards: Int?
        /// The age of the snapshot; nil if there is no valid snapshot.
        package let age: Duration?
    }

    /// The state of the files; nil if the station has neither a journal nor a snapshot.
    package func status(
        _ keys: KeyRing, at now: Timestamp, _ uptime: Uptime?
    ) throws(TapcardError) -> Status? {
        let (lines, cards) = (try journal.load(keys), snapshot.load(keys))
        guard let currency = lines?.currency ?? cards?.currency else { return nil }
        return Status(
            currency: currency, unbooked: lines?.sum() ?? 0, payments: lines?.lines.count ?? 0,
            oldest: lines?.lines.first?.at, cards: cards?.cardCount,
            age: cards?.age(at: now, uptime))
    }

    // MARK: Offline

    /// What the station remembers about its ledger.
    package func memory() throws(TapcardError) -> StationMemory {
        func unusable(_ reason: String) -> TapcardError {
            TapcardError(
                .fileUnusable,
                "The ledger is offline, and this machine's state file \(memoryPath) cannot be "
                    + "read: \(reason).",
                meaning: "This payment may already have been taken. Nothing was done this time.",
                next: [.ledger(.readCardWhenBack)])
        }
        let (file, othersCanWrite) = (DurableFile(memoryPath), 0o022 as UInt32)
        let (exposure, bytes) = try translating(
            (file.exposure(othersCanWrite), file.read() ?? [])
        ) { (error: FileError) in unusable(error.detail) }
        // Anyone who can write to this file could make the station forget a payment that it
        // reported as "not paid".
        if let exposure { throw unusable(exposure.words) }
        return StationMemory(String(decoding: bytes, as: UTF8.self))
    }

    /// Takes a payment while the ledger is offline, based on the snapshot and within the limits.
    /// The tag is read but not written to. Returns once the payment is in the journal.
    package func pay(
        _ amount: Money, for lines: [SaleLine] = [], id: OperationID, only card: CardUID?,
        within limits: OfflineLimits, at station: Station
    ) async throws(TapcardError) -> Receipt {
        // If the request is already in the journal, its receipt comes from there, even if the card
        // has been removed.
        if let replayed = try replay(amount, lines, id, card, limits, station) { return replayed }
        try station.requirePayable(amount)
        func question(
            _ journal: OfflineJournal
        ) throws(TapcardError) -> OfflineDecision.Question {
            let dependencies = station.dependencies
            // The memory is loaded each time: while we waited for the card, another process may
            // have booked the journal's payments and removed the snapshot.
            let memory = try memory()
            if let earlier = memory.earlierRequest(of: id) {
                throw TapcardError(
                    earlier, in: amount.currency, because: "The ledger is offline.",
                    uid: nil)
            }
            return OfflineDecision.Question(
                amount, within: limits, snapshot.load(station.keys), journal, memory,
                at: dependencies.now(), dependencies.uptime())
        }
        guard let before = try journal.load(station.keys) else {
            throw TapcardError(OfflineDecision.Reason.noSnapshot)
        }
        // This is checked before waiting for a card, so that nobody taps a card for nothing.
        if let reason = try question(before).refusalForEveryCard { throw TapcardError(reason) }
        let reading = try await station.readWithoutLedger(
            only: card, snapshot: snapshot.load(station.keys))
        // Another process may have handled this request while we waited for the card.
        if let replayed = try replay(amount, lines, id, card, limits, station) { return replayed }
        func knownReceipt(
            for line: JournalLine, _ journal: OfflineJournal
        ) throws(TapcardError) -> Receipt {
            try receipt(of: line, journal, amount, lines, card, limits, station)
        }
        return try journal.add(station.keys) { journal throws(TapcardError) in
            if let known = journal.line(id) { return (nil, try knownReceipt(for: known, journal)) }
            // The decision is made under the lock, because payments that other processes have added
            // count toward the limits.
            let latest = try question(journal)
            switch OfflineDecision(latest, reading) {
            case .refused(let reason): throw TapcardError(reason, uid: reading.uid)
            case .accepted(let account, let balance):
                let line = JournalLine(
                    number: journal.written + 1, id: id, uid: reading.uid, chip: reading.chip,
                    account: account, record: reading.record ?? [], amount: amount.minorUnits,
                    lines: lines, by: station.dependencies.requester, at: latest.now)
                var after = journal
                _ = after.append(line)
                return (
                    line,
                    Station.receipt(
                        line, in: after, balance: balance, limit: limits.station, isReplayed: false)
                )
            }
        }
    }

    /// The receipt for a request that is already in the journal; nil for any other request.
    private func replay(
        _ amount: Money, _ lines: [SaleLine], _ id: OperationID, _ card: CardUID?,
        _ limits: OfflineLimits,
        _ station: Station
    ) throws(TapcardError) -> Receipt? {
        guard let found = try journal.load(station.keys), let line = found.line(id) else {
            return nil
        }
        let receipt = try receipt(of: line, found, amount, lines, card, limits, station)
        // The line may exist only in memory, so it is synced to disk before the request is again
        // reported as paid.
        try journal.renew(line, station.keys)
        return receipt
    }

    /// The receipt for a payment that is already in the journal; nil for any other request. It is
    /// needed while the ledger is back online but the journal is not booked yet: a retry could then
    /// report "not paid".
    package func earlierReceipt(
        _ amount: Money, for lines: [SaleLine] = [], _ id: OperationID, _ card: CardUID?,
        within limits: OfflineLimits,
        at station: Station
    ) throws(TapcardError) -> Receipt? {
        guard mayHaveLines, let found = try? journal.loadIntact(station.keys)?.journal,
            let line = found.line(id)
        else { return nil }
        return try receipt(of: line, found, amount, lines, card, limits, station)
    }

    private func receipt(
        of line: JournalLine, _ found: OfflineJournal, _ amount: Money, _ lines: [SaleLine],
        _ card: CardUID?, _ limits: OfflineLimits, _ station: Station
    ) throws(TapcardError) -> Receipt {
        guard line.amount == amount.minorUnits, line.lines == lines, card == nil || card == line.uid
        else {
            throw station.otherRequest(line)
        }
        // The receipt shows the current balance, not the one in the first reply: payments since
        // then are subtracted.
        let balance = knownBalance(line.uid, showing: line.balanceOnTag, found, station.keys)
        return Station.receipt(
            line, in: found, balance: Money(minorUnits: balance, found.currency),
            limit: limits.station, isReplayed: true)
    }

    /// A card's balance, in minor units, as far as this station knows. The tag or the snapshot may
    /// be out of date, so the lower of their two balances counts.
    private func knownBalance(
        _ uid: CardUID, showing balance: Int64, _ found: OfflineJournal, _ keys: KeyRing
    ) -> Int64 {
        let known = snapshot.load(keys)?.card(uid)?.balance ?? balance
        return max(min(known, balance) - found.sum(of: uid), 0)
    }

    /// The summary of a card that was read while the ledger was offline, after subtracting this
    /// station's unbooked payments from the card's balance.
    package func subtractingUnbooked(
        _ summary: CardSummary, _ keys: KeyRing
    ) throws(TapcardError) -> CardSummary {
        guard summary.ledger == .offline, let balance = summary.balance,
            let found = try journal.load(keys), found.currency == balance.currency
        else { return summary }
        let unbooked = found.sum(of: summary.uid)
        guard unbooked > 0 else { return summary }
        let rest = knownBalance(summary.uid, showing: balance.minorUnits, found, keys)
        return summary.withBalance(
            Money(minorUnits: rest, found.currency),
            unbooked: Money(minorUnits: unbooked, found.currency))
    }

    // MARK: With the ledger

    /// The payments that have been booked from a journal.
    package struct Booked: Sendable, Hashable {
        package let currency: Currency
        package internal(set) var payments = 0
        /// The sum of the payments, in minor units.
        package internal(set) var amount: Int64 = 0
        /// The part of the sum that the cards' balances could not cover, in minor units.
        package internal(set) var shortfall: Int64 = 0

        init(_ currency: Currency) { self.currency = currency }

        mutating func note(_ booking: BookedPayment) {
            // A payment that an earlier attempt booked is not counted again.
            guard booking.isNew else { return }
            payments += 1
            amount += booking.operation.amount
            shortfall += booking.shortfall
        }
    }

    /// How many payments are booked before the journal is rewritten without them.
    private static let batchSize = 100

    /// Whether anything may be left to book; this is checked before every tap.
    package var mayHaveLines: Bool { journal.mayHaveLines }

    /// Books the journal's payments in order. If booking is interrupted, call this method again;
    /// the ledger books each payment ID only once. If a line was altered, only the payments above
    /// it are booked, and the file is kept.
    package func book(
        into ledger: any LedgerStore, _ keys: KeyRing, at now: Timestamp
    ) async throws(TapcardError) -> Booked? {
        guard let (lines, damage) = try journal.loadIntact(keys) else { return nil }
        if let damage {
            _ = try await OfflinePayments.book(lines, into: ledger, at: now) { _ in }
            // The snapshot's balances date from before these payments.
            try snapshot.remove()
            throw damage
        }
        guard !lines.lines.isEmpty else { return nil }
        return try await OfflinePayments.book(lines, into: ledger, at: now) {
            number throws(TapcardError) in
            // The snapshot's balances date from before these payments, and a till that goes offline
            // again must not accept the same money twice.
            try journal.drop(through: number, of: lines.id, keys) { () throws(TapcardError) in
                try snapshot.remove()
            }
        }
    }

    /// Books a copy of a journal, such as one from a broken station. The copy is left unchanged.
    package static func book(
        copy path: String, into ledger: any LedgerStore, _ keys: KeyRing, at now: Timestamp
    ) async throws(TapcardError) -> Booked? {
        guard let (lines, damage) = try JournalFile(path).loadIntact(keys) else { return nil }
        let booked = try await book(lines, into: ledger, at: now) { _ in }
        if let damage { throw damage }
        return booked
    }

    private static func book(
        _ journal: OfflineJournal, into ledger: any LedgerStore, at now: Timestamp,
        _ drop: (Int64) throws(TapcardError) -> Void
    ) async throws(TapcardError) -> Booked {
        try await requireSameLedger(journal, ledger)
        var booked = Booked(journal.currency)
        var failure: LedgerError?
        for (index, line) in journal.lines.enumerated() {
            let booking: BookedPayment
            do throws(LedgerError) {
                booking = try await ledger.book(
                    journal.payment(line), at: ledger.time(at: now))
            } catch {
                // The lines before this one have been booked, so they can be dropped.
                if failure == nil { try drop(line.number - 1) }
                // If one card's rows are unreadable, payments with other cards are still booked.
                guard [.corrupt, .newer].contains(error.kind) else { throw TapcardError(error) }
                failure = failure ?? error
                continue
            }
            booked.note(booking)
            // Lines are dropped only up to the first failure, because the failed line has to be
            // tried again.
            guard failure == nil else { continue }
            if (index + 1).isMultiple(of: OfflinePayments.batchSize) { try drop(line.number) }
        }
        if let failure { throw TapcardError(failure) }
        try drop(journal.written)
        return booked
    }

    /// Refuses a journal for another ledger, because booking it would charge the wrong cards.
    private static func requireSameLedger(
        _ journal: OfflineJournal, _ ledger: any LedgerStore
    ) async throws(TapcardError) {
        let ledgerID = try await queryingLedger(await ledger.ledgerID())
        guard journal.ledgerID == ledgerID, journal.currency == ledger.currency else {
            throw TapcardError(
                .fileUnusable,
                "The offline payment journal belongs to another ledger.",
                meaning: "Its payments were not booked.", next: [.file(.bookElsewhere)])
        }
    }

    /// Takes a snapshot of the cards, but first reports the journal to the ledger, so that the
    /// ledger knows that this station may take offline payments.
    package func takeSnapshot(
        of ledger: any LedgerStore, _ keys: KeyRing, within limits: OfflineLimits,
        _ dependencies: Station.Dependencies
    ) async throws(TapcardError) -> CardSnapshot {
        let (now, uptime) = (dependencies.now(), dependencies.uptime())
        let ledgerID = try await queryingLedger(await ledger.ledgerID())
        let lines = try journal.loadOrMake(keys) {
            OfflineJournal(
                id: dependencies.newID(), currency: ledger.currency, ledgerID: ledgerID, under: keys
            )
        }
        try await OfflinePayments.requireSameLedger(lines, ledger)
        let report = JournalReport(
            id: lines.id, written: lines.written, duration: limits.age,
            limit: limits.station.minorUnits)
        try await queryingLedger(await ledger.note(report, at: ledger.time(at: now)))
        let taken = try await queryingLedger(await CardSnapshot(of: ledger, at: now, uptime))
        // A payment booked in the meantime may or may not be included in the snapshot's balances.
        let isSaved = try journal.unlessBooked(since: lines, keys) { () throws(TapcardError) in
            try snapshot.save(taken, keys)
        }
        guard isSaved else {
            throw TapcardError(
                .refusal(.wrongState),
                "Payments were booked while the snapshot was being taken.",
                meaning: "The snapshot was discarded. Take a new one.", next: [])
        }
        return taken
    }
}
