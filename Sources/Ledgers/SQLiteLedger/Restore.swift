import BlockingLane
import CSQLite
import Glibc
public import Ledger
public import TapcardDomain

extension SQLiteLedger {
    /// Puts a backup in place of a ledger that is not in use, and returns the effects on cards. The
    /// replaced ledger is kept next to it. The numbers that cards may have been assigned since the
    /// backup are skipped before it takes the ledger's place, so that it is never used without the
    /// gap.
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
        // A key that has been retired since the backup stays retired.
        let retired = try await doorway.run { () throws(LedgerError) in
            target.retiredKeysIfReadable
        }
        for key in retired {
            try await ledger.retire([key.id], at: key.retiredAt)
        }
        // Closing moves the journal into the draft, which is then renamed without it.
        await ledger.close()
        return try await doorway.run { () throws(LedgerError) in
            // No program uses the kept ledger anymore, so none of its cards can be blocked in the
            // meantime.
            let (previous, journal) = try target.give(placeTo: draft)
            let stopped = previous.flatMap { LedgerFile(path: $0).stoppedIfReadable }
            return Restoration(
                exhausted: exhausted, stopped: try stopped.map(target.inUse),
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

    /// The currency of the ledger to be replaced; nil if the ledger is unreadable or has no cards,
    /// because the first command then created it with a mere default.
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

    /// Blocked and replaced cards; nil if the ledger cannot be read. Their tags do not show this
    /// state.
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

    /// Those of these cards that are active in this ledger.
    fileprivate func inUse(
        _ stopped: [Restoration.Stopped]
    ) throws(LedgerError) -> [Restoration.Stopped] {
        let rows = SQLiteRows(
            connection: try Connection(path: path, .readOnly, busyLimit: busyLimit))
        var inUse: [Restoration.Stopped] = []
        for card in stopped where try rows.card(card.uid)?.status == .active { inUse.append(card) }
        return inUse
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
    fileprivate func give(
        placeTo draft: TemporaryFile
    ) throws(LedgerError) -> (ledger: String?, journal: String?) {
        // A program that still has a moved ledger open holds no lock on the file at this path.
        let hold = try LedgerHold(path, .replacing)
        defer { withExtendedLifetime(hold) {} }
        TemporaryFile.removeAbandoned(beside: path)
        guard LedgerFolder.contains(path) else {
            let journal = try keepJournal()
            try disarmJournal()
            try draft.replace(path)
            return (nil, journal)
        }
        let held = try Connection(path: path, .readWrite)
        defer { withExtendedLifetime(held) {} }
        guard !held.isReadOnly else { throw LedgerError.readOnly(path, "(by this user)") }
        try held.shutOthersOut()
        let previous = try keepUnderAnotherName()
        if LedgerFolder.contains(path + "-wal") {
            // A killed program has left rows in the journal. They belong to the old file and would
            // be applied to the new one. It is better for a ledger to be missing for a moment,
            // which the next start refuses, than to be wrong.
            try LedgerFolder.link(path + "-wal", previous + "-wal")
            try LedgerFolder.remove(path)
            try disarmJournal()
        }
        try draft.replace(path)
        return (previous, nil)
    }

    /// Keeps the journal of a moved ledger, which has its last rows: both files are needed to bring
    /// the ledger back.
    private func keepJournal() throws(LedgerError) -> String? {
        let journal = path + "-wal"
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
        let mostKept = 1000
        for number in 1...mostKept {
            let previous = "\(path)\(LedgerFile.restoreMark)\(number)"
            if !LedgerFolder.contains(previous), !LedgerFolder.contains(previous + "-wal") {
                return previous
            }
        }
        throw LedgerError.unavailable(
            path, "(there are already \(mostKept) earlier ledgers beside it)",
            advice: "move some of them elsewhere")
    }

    /// Replaces a journal with an empty one, so that there is a trace of the restore at every
    /// moment.
    private func disarmJournal() throws(LedgerError) {
        guard LedgerFolder.contains(path + "-wal") else { return }
        try TemporaryFile.create(beside: path + "-wal").replace(path + "-wal")
    }
}

extension Connection {
    /// Locks the file itself, whatever it contains, because even an unreadable ledger may be in
    /// use.
    fileprivate func shutOthersOut() throws(LedgerError) {
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
