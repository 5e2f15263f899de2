import CSQLite
import Glibc
import Ledger
import OperatingSystem
import TapcardDomain

/// The path of a ledger, and the ways to open it.
struct LedgerFile: Sendable {
    let path: String
    let schema: LedgerSchema
    let busyLimit: Duration
    /// Whether only this process knows about the file.
    let isDraft: Bool

    init(
        path: String, schema: LedgerSchema = .current, busyLimit: Duration = .seconds(5),
        isDraft: Bool = false
    ) {
        // SQLite treats names such as ":memory:" specially; "./" makes them plain paths. Links are
        // followed, because a restore would replace only the link and leave programs that use the
        // file's own name with the old file.
        let plain = path.hasPrefix("/") || path.hasPrefix("./") ? path : "./" + path
        self.path = LedgerFolder.followingLinks(plain)
        self.schema = schema
        self.busyLimit = busyLimit
        self.isDraft = isDraft
    }

    /// An open ledger and its currency.
    struct Opened {
        let connection: Connection
        let currency: Currency
    }

    /// Opens the ledger, which must be in this currency if one is given; creates a missing ledger.
    func openOrCreate(in currency: Currency?) throws(LedgerError) -> Opened {
        if !LedgerFolder.contains(path) {
            // An interrupted restore leaves a journal without its ledger.
            guard !LedgerFolder.contains(path + "-wal") else {
                throw LedgerError(
                    .unavailable,
                    "\(path) is missing, but its WAL journal is still there; finish the "
                        + "interrupted restore or put the file back")
            }
            try create(in: currency ?? .usd)
        }
        return try open(in: currency)
    }

    /// Opens an existing ledger without reading all of it, because that would slow down every tap
    /// as the ledger grows. SQLite checks each page that it reads; only a full check reads them
    /// all.
    func open(in currency: Currency?) throws(LedgerError) -> Opened {
        // SQLite makes a new journal's name durable, but the program that created this journal may
        // have been killed before SQLite did so.
        if LedgerFolder.contains(path + "-wal") { try LedgerFolder.makeNamesDurable(of: path) }
        if !isDraft { try removeLeftoverNames() }
        let connection = try Connection(path: path, .readWrite, busyLimit: busyLimit)
        guard !connection.isReadOnly else { throw LedgerError.readOnly(path, "(by this user)") }
        let stored = try inspect(connection, in: currency)
        if !isDraft {
            // A restore temporarily gives a file two names, but no restore can be in progress while
            // the hold exists.
            connection.hold = try LedgerHold(path, .using)
            try requireOneName()
        }
        try useWriteAheadLog(connection)
        // From here on, the hold keeps backups from replacing the file.
        guard try !connection.hasMoved() else {
            throw LedgerError.locked(path, "(a restored backup has just taken its place)")
        }
        try migrate(connection)
        // A power failure must not undo a commit, and in WAL mode, only FULL syncs every commit.
        try connection.execute(
            """
            PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON
            """)
        return Opened(connection: connection, currency: stored)
    }

    /// Switches SQLite to its write-ahead log, so that readers and a writer do not block each
    /// other.
    private func useWriteAheadLog(_ connection: Connection) throws(LedgerError) {
        let end = ContinuousClock.now + busyLimit
        var modes: [String]?
        while modes == nil {
            do throws(LedgerError) {
                modes = try connection.query("PRAGMA journal_mode = WAL") {
                    columns throws(LedgerError) in
                    try columns.value(\.text)
                }
            } catch {
                // Two programs that switch at the same time block each other. SQLite reports this
                // immediately, ignoring its busy timeout, so this loop retries.
                guard error.kind == .locked, ContinuousClock.now < end else { throw error }
                usleep(5_000)
            }
        }
        guard modes == ["wal"] else {
            throw LedgerError.unavailable(
                path, "(its file system lacks the shared memory that WAL needs)",
                advice: "put the ledger on a local file system")
        }
    }

    /// Refuses a ledger with a second name (a hard link): SQLite stores the last rows next to the
    /// name used to open it, so programs that use different names lose each other's payments.
    func requireOneName() throws(LedgerError) {
        let count = LedgerFolder.nameCount(of: path)
        guard count > 1 else { return }
        throw LedgerError(
            .unavailable,
            "\(path) has \(count) hard links, and programs that open different names lose "
                + "payments; remove all names but one (`find / -xdev -samefile \(path)` lists "
                + "them)")
    }

    /// Removes names left behind by killed programs: creating or restoring a ledger temporarily
    /// gives a file two names. No file is opened here: if it turned out to be the ledger, closing
    /// it would release this process's locks on the ledger.
    private func removeLeftoverNames() throws(LedgerError) {
        guard LedgerFolder.nameCount(of: path) > 1 else { return }
        // While the hold exists, no backup can take the ledger's place.
        let hold = try LedgerHold(path, .using)
        defer { withExtendedLifetime(hold) {} }
        let (folder, name) = LedgerFolder.split(path)
        for file in (try? DurableFile.names(in: folder)) ?? [] {
            let other = "\(folder)/\(file)"
            let marks = [TemporaryFile.mark, LedgerFile.restoreMark]
            guard marks.contains(where: { file.hasPrefix(name + $0) }),
                LedgerFolder.areSame(path, other)
            else { continue }
            if LedgerFolder.areSame(path + "-wal", other + "-wal") { unsafe unlink(other + "-wal") }
            unsafe unlink(other)
        }
    }

    /// The mark in the name of a ledger that was replaced with a restored backup.
    static let restoreMark = ".before-restore-"

    /// Opens an existing ledger for reading only. Permission to write is not needed.
    func openReadOnly(in currency: Currency?) throws(LedgerError) -> Opened {
        try requireOneName()
        let connection = try Connection(path: path, .readOnly, busyLimit: busyLimit)
        let stored = try inspect(connection, in: currency)
        let version = try connection.schemaVersion()
        guard version == schema.latest else {
            throw LedgerError(
                .readOnly,
                "\(path) is from an older version (schema \(version), latest \(schema.latest)) and "
                    + "must be upgraded before it can be read; run tapcard once with write access "
                    + "to the file and its folder")
        }
        try connection.execute("PRAGMA cell_size_check = ON")
        return Opened(connection: connection, currency: stored)
    }

    /// Checks, without changing anything, that this version can work with the ledger.
    func inspect(
        _ connection: Connection, in currency: Currency?
    ) throws(LedgerError) -> Currency {
        guard try connection.applicationID() == LedgerSchema.applicationID else {
            throw LedgerError(
                .corrupt,
                "\(path) is not a ledger or has lost its header; specify another file or run "
                    + "`tapcard restore-backup`")
        }
        let version = try connection.schemaVersion()
        guard version <= schema.latest else {
            throw LedgerError(
                .newer,
                "\(path) is from a newer version (schema \(version); this version "
                    + "knows schemas up to \(schema.latest)); install that version")
        }
        guard !(1..<LedgerSchema.oldest).contains(version) else {
            throw LedgerError(
                .unavailable,
                "\(path) is from before the first release and was left unchanged; specify another "
                    + "ledger or use the version of tapcard that wrote it")
        }
        let code = try connection.query("SELECT currency FROM setting") {
            columns throws(LedgerError) in try columns.value(\.text)
        }
        guard version >= 1, let stored = code.first.flatMap(Currency.init(code:)) else {
            throw LedgerError.corrupt(path, "its currency is unknown")
        }
        guard currency == nil || currency == stored else {
            throw LedgerError(
                .wrongCurrency,
                "\(path) is in \(stored.code), but this machine is set to \(currency?.code ?? ""); "
                    + "set it to \(stored.code) or specify another ledger")
        }
        return stored
    }

    private func create(in currency: Currency) throws(LedgerError) {
        let draft = try TemporaryFile.create(beside: path)
        // An unknown outcome is harmless for a draft, because the ledger does not exist yet.
        try translating(fill(draft.path, in: currency)) { (error: LedgerError) in
            error.kind == .outcomeUnknown
                ? LedgerError.unavailable(
                    path,
                    "(the disk failed while the file was being created)") : error
        }
        do throws(LedgerError) {
            try draft.place(at: path)
        } catch {
            // Another program may have created the ledger in the meantime; if so, its ledger is
            // opened.
            guard LedgerFolder.contains(path) else { throw error }
        }
    }

    /// Fills the draft and closes the connection, so that the file alone holds everything.
    private func fill(_ draft: String, in currency: Currency) throws(LedgerError) {
        let connection = try Connection(path: draft, .readWrite)
        try connection.transaction(.writing) { () throws(LedgerError) in
            try connection.execute("PRAGMA application_id = \(LedgerSchema.applicationID)")
            try schema.apply(to: connection, from: 0)
            try connection.run(
                "INSERT INTO setting (only, currency) VALUES (1, ?)", [.text(currency.code)])
        }
    }

    /// Migrates an older ledger in one transaction, and leaves a copy of the old ledger next to it.
    private func migrate(_ connection: Connection) throws(LedgerError) {
        guard try connection.schemaVersion() < schema.latest else { return }
        try connection.check()
        try connection.transaction(.writing) { () throws(LedgerError) in
            // Another program may have migrated the ledger while this one waited for the lock.
            let version = try connection.schemaVersion()
            guard version < schema.latest else { return }
            // No other program can write now, so the copy has the state that the migration starts
            // from.
            let copy = try TemporaryFile.create(beside: path)
            try Connection(path: path, .readOnly, busyLimit: busyLimit).copy(to: copy.path)
            try copy.replace("\(path).v\(version)-backup")
            try schema.apply(to: connection, from: version)
        }
    }
}

extension Connection {
    /// Reads the whole file and throws if any part of it violates the rules of SQLite or of the
    /// tables.
    func check() throws(LedgerError) {
        let findings = try query("PRAGMA quick_check(1)") { columns throws(LedgerError) in
            try columns.value(\.text)
        }
        guard findings == ["ok"] else {
            // The line with asterisks only names the database.
            let lines = (findings.first ?? "the check returned no result")
                .split(separator: "\n").filter { !$0.hasPrefix("***") }
            throw LedgerError.corrupt(path, lines.joined(separator: "; "))
        }
    }

    /// Whether the open file is no longer at its path. Another file may be there now.
    func hasMoved() throws(LedgerError) -> Bool {
        var moved: Int32 = 0
        try unsafe control(SQLITE_FCNTL_HAS_MOVED, &moved)
        return moved != 0
    }
}
