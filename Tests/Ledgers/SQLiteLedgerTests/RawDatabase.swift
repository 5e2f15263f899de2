import CSQLite
import Testing

/// A connection without the ledger's code, like that of an SQLite tool.
@safe final class RawDatabase {
    private let handle: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(
            path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        try #require(code == SQLITE_OK)
        unsafe self.handle = try unsafe #require(handle)
    }

    deinit { unsafe sqlite3_close(handle) }

    /// Runs a script and returns SQLite's error message, or nil.
    @discardableResult func run(_ script: String) -> String? {
        let code = unsafe sqlite3_exec(handle, script, nil, nil, nil)
        return code == SQLITE_OK ? nil : unsafe String(cString: sqlite3_errmsg(handle))
    }

    /// The first column of the first row, as text.
    func value(_ query: String) -> String? {
        var statement: OpaquePointer?
        defer { unsafe sqlite3_finalize(statement) }
        guard unsafe sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK,
            unsafe sqlite3_step(statement) == SQLITE_ROW,
            let text = unsafe sqlite3_column_text(statement, 0)
        else { return nil }
        return unsafe String(cString: text)
    }
}
