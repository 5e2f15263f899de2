import CSQLite
import Ledger
import TapcardDomain

/// The columns of a statement's current row, read from left to right. A value that the ledger could
/// not have written is an error: another program has changed the file.
@safe struct Columns {
    private let statement: OpaquePointer
    private var index: Int32 = 0

    init(_ statement: OpaquePointer) { unsafe self.statement = statement }

    mutating func next() throws(LedgerError) -> SQLValue {
        defer { index += 1 }
        switch unsafe sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, index))
        case SQLITE_TEXT:
            guard let text = String(validating: bytes(), as: UTF8.self) else {
                throw Columns.unreadable
            }
            return .text(text)
        case SQLITE_BLOB: return .blob(Array(bytes()))
        case SQLITE_NULL: return .null
        default: throw Columns.unreadable
        }
    }

    mutating func optional<Value>(
        _ make: (SQLValue) -> Value?
    ) throws(LedgerError) -> Value? {
        let value = try next()
        if value == .null { return nil }
        guard let made = make(value) else { throw Columns.unreadable }
        return made
    }

    mutating func value<Value>(_ make: (SQLValue) -> Value?) throws(LedgerError) -> Value {
        guard let value = try optional(make) else { throw Columns.unreadable }
        return value
    }

    /// Reads a word of an enumeration.
    mutating func word<Word: RawRepresentable<String>>() throws(LedgerError) -> Word {
        try value { $0.text.flatMap(Word.init(rawValue:)) }
    }

    static let unreadable = LedgerError(
        .corrupt,
        "a row of the ledger cannot be read, it was not written by tapcard; restore a backup")

    private func bytes() -> [UInt8] {
        // SQLite gives the valid length only after the pointer was requested.
        guard let start = unsafe sqlite3_column_blob(statement, index) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(statement, index))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
}

/// The domain's types from columns; nil where the value is not valid.
extension SQLValue {
    var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    var text: String? { if case .text(let value) = self { value } else { nil } }
    var blob: [UInt8]? { if case .blob(let value) = self { value } else { nil } }

    var uid: CardUID? { text.flatMap { CardUID($0) } }
    var id: UniqueID? { text.flatMap { UniqueID($0) } }
    var number: SequenceNumber? {
        integer.flatMap(UInt32.init(exactly:)).flatMap(SequenceNumber.init)
    }
    var time: Timestamp? { integer.map(Timestamp.init(milliseconds:)) }
    var flag: Bool? { integer.map { $0 != 0 } }
    var uptime: Uptime? { text.flatMap(Uptime.init) }
    var cashier: CashierName? { text.flatMap { try? CashierName($0) } }
    var account: Account? { text.flatMap { Account($0) } }
}
