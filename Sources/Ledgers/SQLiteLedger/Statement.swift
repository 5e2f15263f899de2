import CSQLite
import Ledger
import TapcardDomain

/// A prepared statement, kept for as long as its connection. It returns SQLite's own codes, because
/// only the connection has the messages for them.
@safe final class Statement {
    private let handle: OpaquePointer

    /// Prepares a statement; returns nil and the result code if the text does not compile.
    static func prepare(_ sql: String, on database: OpaquePointer) -> (Statement?, Int32) {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard let handle = unsafe handle else { return (nil, code) }
        return (unsafe Statement(handle), code)
    }

    private init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit { unsafe sqlite3_finalize(handle) }

    func bind(_ values: [SQLValue]) -> Int32 {
        var index: Int32 = 0
        for value in values {
            index += 1
            let code = bind(value, at: index)
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    /// Advances to the next row. Returns SQLITE_ROW, SQLITE_DONE, or an error code.
    func step() -> Int32 { unsafe sqlite3_step(handle) }

    /// Makes the statement ready to be run again, and drops the bound values, which may include
    /// names and codes.
    func reset() {
        // The result repeats the code of the last step, which the caller already has.
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    /// The current row.
    func columns() throws(LedgerError) -> Columns { try unsafe Columns(handle) }

    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(handle, index)
        case .integer(let integer): return unsafe sqlite3_bind_int64(handle, index, integer)
        case .text(let text): return bind(text, at: index)
        // Identifiers are text, so that an auditor can read the file with any SQLite tool.
        case .uid(let uid): return bind(uid.description, at: index)
        case .id(let id): return bind(id.description, at: index)
        case .blob(let bytes):
            // An empty buffer may have a null pointer, which SQLite would bind as NULL.
            guard !bytes.isEmpty else { return unsafe sqlite3_bind_zeroblob(handle, index, 0) }
            return unsafe bytes.withUnsafeBytes { buffer in
                unsafe tapcard_sqlite3_bind_blob(
                    handle, index, buffer.baseAddress, Int32(clamping: buffer.count))
            }
        }
    }

    private func bind(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { utf8 in
            unsafe utf8.withMemoryRebound(to: CChar.self) { characters in
                unsafe tapcard_sqlite3_bind_text(
                    handle, index, characters.baseAddress, Int32(clamping: characters.count))
            }
        }
    }
}
