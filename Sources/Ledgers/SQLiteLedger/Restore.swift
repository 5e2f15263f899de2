import BlockingLane
import CSQLite
import Glibc
public import Ledger
public import TapcardDomain

extension SQLiteLedger {
    /// Puts a backup in the place of a ledger that nobody uses, and returns what that does to cards.
    ///
    /// What was there is kept beside it. The numbers that cards may have been given since the
    /// backup are skipped before it takes the place: there is no moment without the gap.
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
        // A key that was given up since the backup stays given up.
        let retired = try await doorway.run { () throws(LedgerError) in
            target.retiredKeysIfReadable
        }
        for key in retired {
            try await ledger.retire([key.id], at: key.retiredAt)
        }
        await ledger.close()
        return try await doorway.run { () throws(LedgerError) in
            // What is kept is nobody's any more: nothing can be stopped in it behind our back.
            let (previous, journal) = try target.give(placeTo: draft)
            let stopped = previous.flatMap { LedgerFile(path: $0).stoppedIfReadable }
            return Restoration(
                exhausted: exhausted, stopped: try stopped.map(target.inUse),
                kept: previous ?? journal)
        }
    }
}

extension LedgerFile {
    /// Copies a backup after it was read whole, and brings the copy up to date.
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

    /// The currency of a ledger that is to be replaced. Nil where it has no cards: then it was made
    /// by the first command that was run here, and nobody has chosen anything. It may be beyond
    /// reading as well.
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

    /// Cards on which no money moved, for a reason that their tags do not show.
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

    /// Those of the cards on which money moves in this ledger.
    fileprivate func inUse(
        _ stopped: [Restoration.Stopped]
    ) throws(LedgerError) -> [Restoration.Stopped] {
        let rows = SQLiteRows(
            connection: try Connection(path: path, .readOnly, busyLimit: busyLimit))
        var inUse: [Restoration.Stopped] = []
        for card in stopped where try rows.card(card.uid)?.status == .active { inUse.append(card) }
        return inUse
    }

    /// The keys that were given up in a ledger that is to be replaced; none where it is beyond reading
    /// or does not know of such.
    fileprivate var retiredKeysIfReadable: [RetiredKey] {
        do {
            let connection = try Connection(path: path, .readOnly, busyLimit: busyLimit)
            _ = try inspect(connection, in: nil)
            return try SQLiteRows(connection: connection).retiredKeys()
        } catch {
            return []
        }
    }

    /// Nobody else can open the ledger until the other file has its name. Returns the names under
    /// which the ledger that was there is kept, or its journal alone.
    fileprivate func give(
        placeTo draft: TemporaryFile
    ) throws(LedgerError) -> (ledger: String?, journal: String?) {
        // Those who still have a ledger open that was moved away hold no lock on what lies here.
        let hold = try LedgerHold(path, .replacing)
        defer { withExtendedLifetime(hold) {} }
        TemporaryFile.removeAbandoned(beside: path)
        guard Folder.contains(path) else {
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
        if Folder.contains(path + "-wal") {
            // A killed program has left rows in the journal. They belong to the old file; beside
            // the new one they would be played into it. In between there is no ledger at all,
            // which is refused at the next start, rather than a wrong one.
            try Folder.link(path + "-wal", previous + "-wal")
            try Folder.remove(path)
            try disarmJournal()
        }
        try draft.replace(path)
        return (previous, nil)
    }

    /// A ledger that was moved away has left its last rows in its journal: whoever brings it back
    /// needs both.
    private func keepJournal() throws(LedgerError) -> String? {
        let journal = path + "-wal"
        guard Folder.size(of: journal) > 0 else { return nil }
        let name = try freeName() + "-wal"
        try Folder.link(journal, name)
        return name
    }

    private func keepUnderAnotherName() throws(LedgerError) -> String {
        let previous = try freeName()
        try Folder.link(path, previous)
        return previous
    }

    /// The first free number says which restore it was.
    private func freeName() throws(LedgerError) -> String {
        let mostKept = 1000
        for number in 1...mostKept {
            let previous = "\(path).before-restore-\(number)"
            if !Folder.contains(previous), !Folder.contains(previous + "-wal") { return previous }
        }
        throw LedgerError.unavailable(
            path, "(\(mostKept) earlier ledgers lie beside it, move some away)")
    }

    /// Replaces a journal by an empty one, so that there is a trace of the restore all the time.
    private func disarmJournal() throws(LedgerError) {
        guard Folder.contains(path + "-wal") else { return }
        try TemporaryFile.create(beside: path + "-wal").replace(path + "-wal")
    }
}

extension Connection {
    /// Locks the file itself, whatever it contains: a ledger that cannot be read has users, too.
    fileprivate func shutOthersOut() throws(LedgerError) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        try unsafe control(SQLITE_FCNTL_FILE_POINTER, &file)
        guard let file = unsafe file, let lock = unsafe file.pointee.pMethods?.pointee.xLock else {
            throw LedgerError.unavailable(path, "(it cannot be locked)")
        }
        for level in [SQLITE_LOCK_SHARED, SQLITE_LOCK_EXCLUSIVE] {
            let code = unsafe lock(file, level)
            guard code == SQLITE_OK else {
                throw LedgerError(sqlite: code, systemError: errno, path: path)
            }
        }
    }
}
