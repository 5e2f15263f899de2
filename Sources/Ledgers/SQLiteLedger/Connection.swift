import CSQLite
import Ledger

/// One connection to one database file, used by one actor and closed when nobody keeps it.
@safe final class Connection {
    /// What may be done to the file.
    enum Access {
        /// Not even a journal is begun beside it.
        case readOnly
        case readWrite
    }

    let path: String
    /// How often something reached the disk through this connection.
    private(set) var durableTransactions = 0
    /// What keeps a backup from taking the ledger's place for as long as this is open.
    var hold: LedgerHold?
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    /// The file as it was when it was taken for one that nobody writes; nil where locks are used.
    private let frozen: FileState?

    /// Opens a file that exists; nothing is read from it yet.
    init(path: String, _ access: Access, busyLimit: Duration = .zero) throws(LedgerError) {
        try Folder.requireFile(path)
        let name: String
        let mode: Int32
        switch access {
        case .readWrite: (name, mode, frozen) = (path, SQLITE_OPEN_READWRITE, nil)
        case .readOnly:
            frozen = FileState(withoutJournal: path)
            name = frozen == nil ? path : Connection.untouched(path)
            mode = SQLITE_OPEN_READONLY
        }
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(
            name, &handle,
            mode | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle = unsafe handle else {
            let systemError = unsafe sqlite3_system_errno(handle)
            unsafe sqlite3_close(handle)
            let failure = LedgerError(sqlite: code, systemError: systemError, path: path)
            // Whoever may not even read it has another thing to do than who may not write it.
            guard access == .readOnly, failure.kind == .readOnly else { throw failure }
            throw LedgerError(
                .unavailable,
                "\(path) cannot be read (permission denied); allow this user to read and write the "
                    + "file and its folder")
        }
        unsafe self.handle = handle
        self.path = path
        unsafe sqlite3_busy_timeout(handle, busyLimit.inMilliseconds)
        unsafe sqlite3_wal_hook(handle, whenDurable, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        statements.removeAll()
        unsafe sqlite3_close(handle)
    }

    /// Whether the file could be opened for reading only.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// Runs a statement that answers nothing.
    func run(_ sql: String, _ values: [SQLValue] = []) throws(LedgerError) {
        _ = try query(sql, values) { _ throws(LedgerError) in }
    }

    /// Runs a statement and decodes every row that it answers.
    func query<Row>(
        _ sql: String, _ values: [SQLValue] = [],
        _ decode: (inout Columns) throws(LedgerError) -> Row
    ) throws(LedgerError) -> [Row] {
        var rows: [Row] = []
        try forEach(sql, values) { columns throws(LedgerError) in
            rows.append(try decode(&columns))
        }
        return rows
    }

    /// Runs a statement and shows each row to the body, which does not run the same one again.
    func forEach(
        _ sql: String, _ values: [SQLValue] = [],
        _ body: (inout Columns) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        let statement = try prepared(sql)
        defer { statement.reset() }
        let bound = statement.bind(values)
        guard bound == SQLITE_OK else { throw failure(bound) }
        while true {
            let code = statement.step()
            switch code {
            case SQLITE_ROW:
                var columns = statement.columns
                try body(&columns)
            case SQLITE_DONE: return
            default: throw failure(code)
            }
        }
    }

    /// What was run on this connection.
    var preparedStatements: [String] { statements.keys.sorted() }

    /// Runs a text of several statements, once.
    func execute(_ script: String) throws(LedgerError) {
        let code = unsafe sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Where SQLite itself sees the end of a transaction, not where someone asked for it.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Talks to the file below the database.
    func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer) throws(LedgerError) {
        let code = unsafe sqlite3_file_control(handle, "main", operation, argument)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// How the last call on this connection ended.
    var lastCode: Int32 { unsafe sqlite3_extended_errcode(handle) }

    func failure(_ code: Int32) -> LedgerError {
        LedgerError(
            sqlite: code, unsafe String(cString: sqlite3_errmsg(handle)),
            systemError: unsafe sqlite3_system_errno(handle), path: path)
    }

    fileprivate func countDurableTransaction() { durableTransactions += 1 }

    /// Throws where somebody has begun to write a file that is read without locks: what was read
    /// may be of two states.
    func requireUntouched() throws(LedgerError) {
        guard let frozen, frozen != FileState(withoutJournal: path) else { return }
        throw LedgerError.locked(path, "(it was written while it was read)")
    }

    /// A name that makes SQLite look only.
    private static func untouched(_ path: String) -> String {
        var uri = path.hasPrefix("/") ? "file://" : "file:"
        for scalar in path.unicodeScalars {
            switch scalar {
            case "%": uri += "%25"
            case "?": uri += "%3F"
            case "#": uri += "%23"
            default: uri.unicodeScalars.append(scalar)
            }
        }
        return uri + "?immutable=1"
    }

    private func prepared(_ sql: String) throws(LedgerError) -> Statement {
        if let statement = statements[sql] { return statement }
        let (statement, code) = unsafe Statement.prepare(sql, on: handle)
        guard let statement else { throw failure(code) }
        statements[sql] = statement
        return statement
    }
}

/// SQLite calls this after a commit has been written and synced, and not for one that changed
/// nothing. It takes the place of SQLite's own hook, which folds the journal back into the
/// database from time to time, so that is done here as well; if it fails, it is done later.
private let whenDurable:
    @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32
    ) -> Int32 = { context, database, name, pages in
        if let context = unsafe context {
            unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                .countDurableTransaction()
        }
        let longestJournalInPages = 1000
        if pages >= longestJournalInPages { unsafe sqlite3_wal_checkpoint(database, name) }
        return SQLITE_OK
    }

extension Duration {
    /// Whole milliseconds, within what SQLite takes.
    fileprivate var inMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow
            ? .max : Int32(clamping: max(0, whole) + attoseconds / 1_000_000_000_000_000)
    }
}
