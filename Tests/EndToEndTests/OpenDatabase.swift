import CSQLite
import Testing

/// Another program that has the ledger's file open.
@safe final class OpenDatabase {
    private let handle: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
        try #require(code == SQLITE_OK)
        unsafe self.handle = try #require(unsafe handle)
    }

    deinit { unsafe sqlite3_close(handle) }

    func execute(_ sql: String) throws {
        try #require(unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    }

    func refuses(_ sql: String) -> Bool {
        unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_CONSTRAINT
    }
}
