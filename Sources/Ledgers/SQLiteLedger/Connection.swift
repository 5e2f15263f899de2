import CSQLite
import Ledger

/// A connection to a database file, used by one actor and closed when the last reference to it is
/// gone.
@safe final class Connection {
    /// What the connection can do with the file.
    enum Access {
        /// Reads only, without even creating a journal next to the file.
        case readOnly
        case readWrite
    }

    let path: String
    /// The number of transactions that this connection has made durable.
    private(set) var durableTransactions = 0
    /// The lock that keeps a backup from replacing the ledger while this connection is open.
    var hold: LedgerHold?
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    /// The state of a file that had no writer when it was opened; nil if locks are used.
    private let frozen: FileState?

    /// Opens an existing file; nothing is read from it yet.
    init(path: String, _ access: Access, busyLimit: Duration = .zero) throws(LedgerError) {
        try LedgerFolder.requireFile(path)
        let name: String
        let mode: Int32
        switch access {
        case .readWrite: (name, mode, frozen) = (path, SQLITE_OPEN_READWRITE, nil)
        case .readOnly:
            // If there is no journal, no one is writing, so the file can be read without locks.
            frozen = FileState(withoutJournal: path)
            name = frozen == nil ? path : Connection.untouched(path)
            mode = SQLITE_OPEN_READONLY
        }
        var handle: OpaquePointer?
        // Only one actor uses the connection, so SQLite needs no mutex of its own.
        let code = unsafe sqlite3_open_v2(
            name, &handle,
            mode | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle = unsafe handle else {
            let systemError = unsafe sqlite3_system_errno(handle)
            unsafe sqlite3_close(handle)
            let failure = LedgerError(sqlite: code, systemError: systemError, path: path)
            // A file that cannot even be read needs different permissions from one that cannot be
            // written to.
            guard access == .readOnly, failure.kind == .readOnly else { throw failure }
            throw LedgerError(
                .unavailable,
                "\(path) cannot be opened (permission denied); allow this user to read and write "
                    + "the file and its folder")
        }
        unsafe self.handle = handle
        self.path = path
        unsafe sqlite3_busy_timeout(handle, busyLimit.inMilliseconds)
        // `self` is unretained, because the handle, and with it the hook, is closed before
        // `self` is deallocated.
        unsafe sqlite3_wal_hook(handle, whenDurable, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        // SQLite does not close a connection that still has statements.
        statements.removeAll()
        unsafe sqlite3_close(handle)
    }

    /// Whether the file could only be opened for reading.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }

    /// Runs a statement that returns no rows.
    func run(_ sql: String, _ values: [SQLValue] = []) throws(LedgerError) {
        _ = try query(sql, values) { _ throws(LedgerError) in }
    }

    /// Runs a statement and decodes every row that it returns.
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

    /// Runs a statement and passes each row to the body, which must not run the same statement
    /// again.
    func forEach(
        _ sql: String, _ values: [SQLValue] = [],
        _ body: (inout Columns) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        let statement = try prepared(sql)
        // An unfinished statement would keep its transaction's locks.
        defer { statement.reset() }
        let bound = statement.bind(values)
        guard bound == SQLITE_OK else { throw failure(bound) }
        while true {
            let code = statement.step()
            switch code {
            case SQLITE_ROW:
                var columns = try statement.columns()
                try body(&columns)
            case SQLITE_DONE: return
            default: throw failure(code)
            }
        }
    }

    /// The statements that have been run on this connection.
    var preparedStatements: [String] { statements.keys.sorted() }

    /// Runs a script with several statements once.
    func execute(_ script: String) throws(LedgerError) {
        let code = unsafe sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Whether SQLite itself is in a transaction. SQLite may have ended a transaction that the
    /// caller has not ended yet.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Sends a command to the file underlying the database.
    func control(_ operation: Int32, _ argument: UnsafeMutableRawPointer) throws(LedgerError) {
        let code = unsafe sqlite3_file_control(handle, "main", operation, argument)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// The result code of the last call on this connection.
    var lastCode: Int32 { unsafe sqlite3_extended_errcode(handle) }

    func failure(_ code: Int32) -> LedgerError {
        LedgerError(
            sqlite: code, unsafe String(cString: sqlite3_errmsg(handle)),
            systemError: unsafe sqlite3_system_errno(handle), path: path)
    }

    fileprivate func countDurableTransaction() { durableTransactions += 1 }

    /// Throws if another program has begun to write to a file that is read without locks, because
    /// the rows read may then come from two different states.
    func requireUntouched() throws(LedgerError) {
        guard let frozen, frozen != FileState(withoutJournal: path) else { return }
        throw LedgerError.locked(path, "(which wrote to it while it was being read without locks)")
    }

    /// A URI that keeps SQLite from locking or changing the file.
    private static func untouched(_ path: String) -> String {
        var uri = path.hasPrefix("/") ? "file://" : "file:"
        for scalar in path.unicodeScalars {
            switch scalar {
            // These characters have a special meaning in a URI.
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

/// The callback that SQLite calls after a commit has been written and synced, but not after a
/// commit that changed nothing. It replaces SQLite's own hook, which occasionally moves the journal
/// into the database, so this callback does that, too. If the move fails, a later commit repeats
/// it.
private let whenDurable:
    @convention(c) (
        UnsafeMutableRawPointer?, OpaquePointer?, UnsafePointer<CChar>?, Int32
    ) -> Int32 = { context, database, name, pages in
        if let context = unsafe context {
            unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                .countDurableTransaction()
        }
        // SQLite's own hook has the same default.
        let maxJournalPages = 1000
        if pages >= maxJournalPages { unsafe sqlite3_wal_checkpoint(database, name) }
        return SQLITE_OK
    }

extension Duration {
    /// The duration in whole milliseconds, within the range that SQLite accepts.
    fileprivate var inMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return overflow
            ? .max : Int32(clamping: max(0, whole) + attoseconds / 1_000_000_000_000_000)
    }
}
