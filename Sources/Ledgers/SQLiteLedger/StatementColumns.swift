import CSQLite
import Ledger

extension Columns {
    /// Reads the statement's current row.
    init(_ statement: OpaquePointer) throws(LedgerError) {
        let count = unsafe sqlite3_column_count(statement)
        var values: [SQLValue] = []
        values.reserveCapacity(Int(count))
        for index in 0..<count {
            values.append(try unsafe Columns.value(at: index, of: statement))
        }
        self.init(values)
    }

    private static func value(
        at index: Int32, of statement: OpaquePointer
    ) throws(LedgerError) -> SQLValue {
        switch unsafe sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, index))
        case SQLITE_TEXT:
            // Text that is not UTF-8 was written by another program.
            guard
                let text = unsafe String(
                    validating: bytes(at: index, of: statement), as: UTF8.self)
            else { throw Columns.unreadable }
            return .text(text)
        case SQLITE_BLOB: return .blob(unsafe Array(bytes(at: index, of: statement)))
        case SQLITE_NULL: return .null
        default: throw Columns.unreadable
        }
    }

    private static func bytes(
        at index: Int32, of statement: OpaquePointer
    ) -> UnsafeRawBufferPointer {
        // SQLite gives the correct length only after the pointer has been requested.
        let start = unsafe sqlite3_column_blob(statement, index)
        let count = Int(unsafe sqlite3_column_bytes(statement, index))
        return unsafe UnsafeRawBufferPointer(start: start, count: count)
    }
}
