import BlockingLane
import CSQLite
import Glibc
public import Ledger
public import TapcardDomain

extension SQLiteLedger {
    /// Puts a backup in place of a ledger that is not in use, and returns the effects on cards. The
    /// replaced ledger is kept next to the new one. Numbers that may have been assigned since the
    /// backup are skipped before the backup takes the ledger's place, so that it is never used
    /// without the gaps.
    public static func restore(
        from backup: String, to path: String, currency: Currency?
    ) async throws(LedgerError) -> Restoration {
        let source = LedgerFile(path: backup)
        let target = LedgerFile(path: path)
        let doorway = Doorway(BlockingLane(label: "tapcard.restore"))
        let draft = try TemporaryFile.create(beside: target.path)
        let kept = try await doorway.run { () throws(LedgerError) in
            try source.prepare(draft, in: currency ?? target.currencyToKeep)
        }
        let ledger = try await open(
            LedgerFile(path: draft.path, isDraft: true), currency: kept)
        let exhausted = try await ledger.skipNumbersAfterRestore()
        try await ledger.suspendTills()
        // A key that was retired after the backup was made stays retired.
        let retired = try await doorway.run { () throws(LedgerError) in
            target.retiredKeysIfReadable
        }
        for key in retired {
            try await ledger.retire([key.id], at: key.retiredAt)
        }
        // Closing moves the journal into the draft, which is then renamed without it.
        await ledger.close()
        return try await doorway.run { () throws(LedgerError) in
            // The cards are read only after the ledger was replaced: no program uses the old ledger
            // anymore, so none of its cards can be blocked in the meantime.
            let (previous, journal) = try target.replaceLedger(with: draft)
            let stopped = previous.flatMap { LedgerFile(path: $0).stoppedIfReadable }
            return Restoration(
                exhausted: exhausted, stopped: try stopped.map(target.activeCards),
                kept: previous ?? journal)
        }
    }
}

extension LedgerFile {
    /// Copies a backup after checking all of it, and migrates the copy.
    fileprivate func prepare(
        _ draft: TemporaryFile, in currency: Currency?
    ) throws(LedgerError) -> Currency {
        let backup = try Connection(path: path, .readOnly, busyLimit: busyLimit)
        let kept = try inspect(backup, in: currency)
        try backup.check()
        let version = try backup.schemaVersion()
        try backup.copy(to: draft.path)
        let copy = try Connection(path: draft.path, .readWrite)
        try copy.transaction(.writing) { () throws(LedgerError) in
            try schema.apply(to: copy, from: version)
        }
        return kept
    }

    /// The currency of the ledger to be replaced; nil if the ledger is unreadable or has no cards.
    /// If there are no cards, the currency may just be the default of the command that created the
    /// ledger.
    fileprivate var currencyToKeep: Currency? {
        do {
            let connection = try Connection(path: path, .readOnly, busyLimit: busyLimit)
            let currency = try inspect(connection, in: nil)
            let cards = try connection.query("SELECT uid FROM card LIMIT 1") {
                row throws(LedgerError) in try row.value(\.uid)
            }
            return cards.isEmpty ? nil : currency
        } catch {
            return nil
        }
    }

    /// The blocked and replaced cards, whose tags do not show this state; nil if the ledger cannot
    /// be read.
    fileprivate var stoppedIfReadable: [Restoration.Stopped]? {
        do {
            let connection = try Connection(path: path, .readOnly, busyLimit: busyLimit)
            _ = try inspect(connection, in: nil)
            try connection.check()
            return try connection.query(
                "SELECT uid, status FROM card WHERE status IN ('blocked', 'replaced') ORDER BY uid"
            ) { row throws(LedgerError) in
                Restoration.Stopped(uid: try row.value(\.uid), status: try row.word())
            }
        } catch {
            return nil
        }
    }

    /// The cards from this list that are active in this ledger.
    fileprivate func activeCards(
        _ stopped: [Restoration.Stopped]
    ) throws(LedgerError) -> [Restoration.Stopped] {
        let rows = SQLiteRows(
            connection: try Connection(path: path, .readOnly, busyLimit: busyLimit))
        var activeCards: [Restoration.Stopped] = []
        for card in stopped where try rows.card(card.uid)?.status == .active {
            activeCards.append(card)
        }
        return activeCards
    }

    /// The retired keys of the ledger to be replaced; empty if it cannot be read or has no such
    /// table.
    fileprivate var retiredKeysIfReadable: [RetiredKey] {
        do {
            let connection = try Connection(path: path, .readOnly, busyLimit: busyLimit)
            _ = try inspect(connection, in: nil)
            return try SQLiteRows(connection: connection).retiredKeys()
        } catch {
            return []
        }
    }

    /// Replaces the ledger while no other program can open it. Returns the names under which the
    /// replaced ledger, or its journal alone, is kept.
    fileprivate func replaceLedger(
        with draft: TemporaryFile
    ) throws(LedgerError) -> (ledger: String?, journal: String?) {
        // SQLite's locks are not enough: a program that still has a moved ledger open holds none on
        // the file at this path.
        let hold = try LedgerHold(path, .replacing)
        defer { withExtendedLifetime(hold) {} }
        TemporaryFile.removeAbandoned(beside: path)
        // Even if the ledger's file is missing, its journal may still be there.
        guard LedgerFolder.contains(path) else {
            let journal = try keepJournal()
            try emptyJournal()
            try draft.replace(path)
            return (nil, journal)
        }
        let held = try Connection(path: path, .readWrite)
        defer { withExtendedLifetime(held) {} }
        guard !held.isReadOnly else { throw LedgerError.readOnly(path, "(by this user)") }
        try held.lockExclusively()
        let previous = try keepUnderAnotherName()
        if LedgerFolder.contains(path + "-wal") {
            // A killed program left rows in the journal. They belong to the old file but would
            // be applied to the new one, so the old file is removed first. If this is interrupted,
            // the ledger is missing rather than wrong, and the next start refuses to continue.
            try LedgerFolder.link(path + "-wal", previous + "-wal")
            try LedgerFolder.remove(path)
            try emptyJournal()
        }
        try draft.replace(path)
        return (previous, nil)
    }

    /// Keeps the journal of a moved ledger. The journal has the ledger's last rows, so both files
    /// are needed to restore the ledger.
    private func keepJournal() throws(LedgerError) -> String? {
        let journal = path + "-wal"
        // An empty journal has no rows to keep.
        guard LedgerFolder.size(of: journal) > 0 else { return nil }
        let name = try freeName() + "-wal"
        try LedgerFolder.link(journal, name)
        return name
    }

    private func keepUnderAnotherName() throws(LedgerError) -> String {
        let previous = try freeName()
        try LedgerFolder.link(path, previous)
        return previous
    }

    /// The first free name; its number counts the restores.
    private func freeName() throws(LedgerError) -> String {
        let maxKept = 1000
        for number in 1...maxKept {
            let previous = "\(path)\(LedgerFile.restoreMark)\(number)"
            if !LedgerFolder.contains(previous), !LedgerFolder.contains(previous + "-wal") {
                return previous
            }
        }
        throw LedgerError.unavailable(
            path, "(there are already \(maxKept) earlier ledgers next to it)",
            advice: "move some of them elsewhere")
    }

    /// Replaces a journal with an empty one. It is not removed, so that an interrupted restore
    /// always leaves a trace.
    private func emptyJournal() throws(LedgerError) {
        guard LedgerFolder.contains(path + "-wal") else { return }
        try TemporaryFile.create(beside: path + "-wal").replace(path + "-wal")
    }
}

extension Connection {
    /// Locks the file itself, no matter what it contains, because even an unreadable ledger may be
    /// in use.
    fileprivate func lockExclusively() throws(LedgerError) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        try unsafe control(SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file = unsafe file, let lock = unsafe file.pointee.pMethods?.pointee.xLock else {
            throw LedgerError.unavailable(path, "(the file cannot be locked)")
        }
        // SQLite's locks are taken in this order: an exclusive lock requires the shared one first.
        for level in [SQLITE_LOCK_SHARED, SQLITE_LOCK_EXCLUSIVE] {
            let code = unsafe lock(file, level)
            guard code == SQLITE_OK else {
                throw LedgerError(sqlite: code, systemError: errno, path: path)
            }
        }
    }
}
