package import CardCryptography
import Ledger
import OperatingSystem
package import TapcardCore

/// The file that holds a station's journal of offline payments. Each line is appended and synced
/// before it is acknowledged.
package struct JournalFile: Sendable, Hashable {
    private static let mode: UInt32 = 0o600
    private static let othersCanWrite: UInt32 = 0o022

    package let path: String

    package init(_ path: String) { self.path = path }

    /// The journal; nil if none has been created yet.
    package func load(_ keys: KeyRing) throws(TapcardError) -> OfflineJournal? {
        try read(keys)?.journal
    }

    /// Whether the journal may contain lines. The check is cheap, because it is made before every
    /// tap. True if the journal cannot be read, because loading it will then report why.
    package var mayHaveLines: Bool {
        do throws(FileError) {
            let bytes = try DurableFile(path).read() ?? []
            // The first line is the journal's head.
            return bytes.count { $0 == UInt8(ascii: "\n") } > 1
        } catch {
            return true
        }
    }

    /// Loads the journal, or creates it if there is none. An empty journal for another ledger is
    /// replaced.
    package func loadOrMake(
        _ keys: KeyRing, _ make: () -> OfflineJournal
    ) throws(TapcardError) -> OfflineJournal {
        try withExclusiveLock(orThrow: notMade) { () throws(TapcardError) in
            let journal = make()
            // Payments for another ledger are kept, because they are recorded nowhere else.
            if let known = try load(keys), !known.lines.isEmpty || known.hasSameLedger(as: journal)
            {
                return known
            }
            try replace(by: journal, orThrow: notMade)
            return journal
        }
    }

    /// Calls `decide` with the journal and adds the line that it returns, if any. No other process
    /// can change the journal in the meantime. Returns once the line is on disk.
    package func add<Success>(
        _ keys: KeyRing,
        _ decide: (OfflineJournal) throws(TapcardError) -> (line: JournalLine?, Success)
    ) throws(TapcardError) -> Success {
        try withExclusiveLock(orThrow: notAdded) { () throws(TapcardError) in
            guard let found = try read(keys) else { throw missing }
            let (line, success) = try decide(found.journal)
            guard let line else { return success }
            var journal = found.journal
            let bytes = journal.append(line)
            // A file longer than the reading limit could not be read back.
            guard found.length + bytes.count <= DurableFile.readingLimit else { throw full }
            do throws(AppendError) {
                try DurableFile(path).append(bytes, at: found.length)
            } catch {
                // If the file could not be truncated to its old length, the line may be in it after
                // all.
                guard error.isUndone else { throw outcomeUnknown(error.cause, line) }
                throw notAdded(error.cause)
            }
            return success
        }
    }

    /// Writes every line to disk again, because a line whose sync failed may exist only in memory.
    /// `line` is the one that the caller is about to acknowledge.
    package func renew(_ line: JournalLine, _ keys: KeyRing) throws(TapcardError) {
        let unknown = { (error: FileError) in outcomeUnknown(error, line) }
        try withExclusiveLock(orThrow: unknown) { () throws(TapcardError) in
            guard let journal = try load(keys) else { throw missing }
            try replace(by: journal, orThrow: unknown)
        }
    }

    /// Removes the lines up to this number from the journal with this ID, which have been booked.
    /// If there are such lines, runs `prepare` first.
    func drop(
        through number: Int64, of id: JournalID, _ keys: KeyRing,
        _ prepare: () throws(TapcardError) -> Void
    ) throws(TapcardError) {
        try withExclusiveLock(orThrow: notDropped) { () throws(TapcardError) in
            // Another process may already have dropped the lines or replaced the whole journal.
            guard var journal = try load(keys), journal.id == id, number > journal.booked else {
                return
            }
            try prepare()
            journal.drop(through: number, under: keys)
            try replace(by: journal, orThrow: notDropped)
        }
    }

    /// Runs the body while no line can be added or removed. Returns false, without running it, if
    /// any line has been removed since the journal was in the state `before`.
    func unlessBooked(
        since before: OfflineJournal, _ keys: KeyRing,
        _ body: () throws(TapcardError) -> Void
    ) throws(TapcardError) -> Bool {
        try withExclusiveLock(orThrow: notMade) { () throws(TapcardError) in
            guard let now = try load(keys), now.id == before.id, now.booked == before.booked
            else { return false }
            try body()
            return true
        }
    }

    private func withExclusiveLock<Success>(
        orThrow failure: (FileError) -> TapcardError, _ body: () throws(TapcardError) -> Success
    ) throws(TapcardError) -> Success {
        try FileLock.holding(path + ".lock", orThrow: failure, body)
    }

    private func replace(
        by journal: OfflineJournal, orThrow failure: (FileError) -> TapcardError
    ) throws(TapcardError) {
        try translating(
            DurableFile(path).write(journal.bytes, mode: JournalFile.mode), into: failure)
    }

    /// The journal up to its first altered line, and the error about the rest; nil if no journal
    /// has been created yet.
    func loadIntact(
        _ keys: KeyRing
    ) throws(TapcardError) -> (journal: OfflineJournal, damage: TapcardError?)? {
        guard let bytes = try bytes() else { return nil }
        let (journal, _, altered) = try parsed { () throws(OfflineJournal.Unreadable) in
            try OfflineJournal.intactPart(in: bytes, keys)
        }
        guard let altered else { return (journal, nil) }
        let damage = TapcardError(
            .fileUnusable,
            "Line \(altered) of the offline payment journal \(path) was altered.",
            meaning: journal.lines.isEmpty
                ? "No offline payments will be taken, and those in the journal will not be booked."
                : "No offline payments will be taken. The payments before this line are booked "
                    + "(\(journal.lines.count)); the rest are not.",
            next: [.file(.keepJournal)])
        return (journal, damage)
    }

    private func read(
        _ keys: KeyRing
    ) throws(TapcardError) -> (journal: OfflineJournal, length: Int)? {
        guard let bytes = try bytes() else { return nil }
        return try parsed { () throws(OfflineJournal.Unreadable) in
            try OfflineJournal.parsing(bytes, keys)
        }
    }

    private func bytes() throws(TapcardError) -> [UInt8]? {
        let file = DurableFile(path)
        let (names, exposure, bytes) = try translating(
            (file.nameCount(), file.exposure(JournalFile.othersCanWrite), file.read())
        ) { (error: FileError) in unusable("it cannot be read (\(error.detail))") }
        // Lines added under one file name would be missing under the other.
        if names > 1 { throw unusable("it has more than one hard link") }
        if let exposure { throw unusable(exposure.words) }
        return bytes
    }

    private func parsed<Success>(
        _ parse: () throws(OfflineJournal.Unreadable) -> Success
    ) throws(TapcardError) -> Success {
        do throws(OfflineJournal.Unreadable) {
            return try parse()
        } catch {
            switch error {
            case .notAJournal: throw unusable("it was not written by tapcard")
            case .keyMissing(let id):
                throw unusable("it is sealed with key \(id), which this machine does not have")
            case .altered(let line): throw unusable("line \(line) was altered")
            }
        }
    }

    private var missing: TapcardError {
        TapcardError(OfflineDecision.Reason.noSnapshot)
    }

    private func unusable(_ reason: String) -> TapcardError {
        TapcardError(
            .fileUnusable, "The offline payment journal \(path) cannot be used: \(reason).",
            meaning: "No offline payments will be taken, and those in the journal will not be "
                + "booked.",
            next: [.file(.keepJournal)])
    }

    private static let name = "The offline payment journal"

    /// The error for a line that was not added. No other failure means that a payment was refused.
    private func notAdded(_ error: FileError) -> TapcardError {
        .unwritten(
            JournalFile.name, error, kind: .ledgerOffline,
            meaning: "The payment was not taken: the card was not charged.",
            next: [.ledger(.waitForLedger(nil))])
    }

    private func notMade(_ error: FileError) -> TapcardError {
        .unwritten(
            JournalFile.name, error,
            meaning: "No offline payments are possible until it can be written.",
            next: [.ledger(.checkDisk)])
    }

    private func notDropped(_ error: FileError) -> TapcardError {
        .unwritten(
            JournalFile.name, error,
            meaning: "It still lists payments that are now booked. Each is booked exactly once, "
                + "even if it is listed again.", next: [.ledger(.checkDisk)])
    }

    private var full: TapcardError {
        TapcardError(
            .ledgerOffline, "The ledger is offline, and the offline payment journal is full.",
            meaning: "The payment was not taken: the card was not charged.",
            next: [.ledger(.waitForLedger(nil))])
    }

    private func outcomeUnknown(_ error: FileError, _ line: JournalLine) -> TapcardError {
        TapcardError(
            .outcomeUnknown,
            "The disk failed while payment \(line.id) was being written to the offline payment "
                + "journal: \(error.detail).",
            meaning: "The payment may or may not be in the journal, and the card was not written "
                + "to. Repeat the payment with the same ID.",
            // A retry with the same ID shows whether the line was written.
            next: [.request(.repeatWithID(line.id))], uid: line.uid, operation: line.id)
    }
}
