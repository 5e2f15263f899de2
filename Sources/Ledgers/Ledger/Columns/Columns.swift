package import TapcardDomain

/// The columns of one row, read from left to right. A value that the ledger could not have written
/// is an error: it means that another program changed the row.
package struct Columns {
    private let values: [SQLValue]
    private var index = 0

    package init(_ values: [SQLValue]) { self.values = values }

    package mutating func next() throws(LedgerError) -> SQLValue {
        guard index < values.count else { throw Columns.unreadable }
        defer { index += 1 }
        return values[index]
    }

    package mutating func optional<Value>(
        _ make: (SQLValue) -> Value?
    ) throws(LedgerError) -> Value? {
        let value = try next()
        if value == .null { return nil }
        // Only NULL stands for nil; a value that cannot be converted is an error.
        guard let made = make(value) else { throw Columns.unreadable }
        return made
    }

    package mutating func value<Value>(
        _ make: (SQLValue) -> Value?
    ) throws(LedgerError) -> Value {
        guard let value = try optional(make) else { throw Columns.unreadable }
        return value
    }

    /// Parses the raw value of an enumeration.
    package mutating func word<Word: RawRepresentable<String>>() throws(LedgerError) -> Word {
        try value { $0.text.flatMap(Word.init(rawValue:)) }
    }

    package static let unreadable = LedgerError(
        .corrupt,
        "a row of the ledger cannot be read, because it was not written by tapcard; restore a "
            + "backup")
}

/// Conversions from columns to the domain's types; nil for an invalid value.
extension SQLValue {
    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var text: String? { if case .text(let value) = self { value } else { nil } }
    package var blob: [UInt8]? { if case .blob(let value) = self { value } else { nil } }

    package var uid: CardUID? {
        // SQLite stores UIDs as text, PostgreSQL as numbers.
        switch self {
        case .text(let text): CardUID(text)
        case .integer(let number): CardUID(number: number)
        default: nil
        }
    }
    package var id: UniqueID? { text.flatMap { UniqueID($0) } }
    package var number: SequenceNumber? {
        integer.flatMap(UInt32.init(exactly:)).flatMap(SequenceNumber.init)
    }
    package var readCounter: ReadCounter? {
        integer.flatMap(UInt32.init(exactly:)).flatMap(ReadCounter.init)
    }
    /// An amount or a count. The limit is higher than any ledger will reach, and low enough that
    /// adding several values cannot overflow.
    package var units: Int64? { integer.flatMap { SQLValue.possibleUnits.contains($0) ? $0 : nil } }
    /// The number of an account, counted from 1 on each chip.
    package var accountNumber: Int? {
        integer.flatMap(Int32.init(exactly:)).flatMap { $0 > 0 ? Int($0) : nil }
    }
    package var time: Timestamp? {
        integer.flatMap { SQLValue.possibleTimes.contains($0) ? $0 : nil }
            .map(Timestamp.init(milliseconds:))
    }
    package var flag: Bool? { integer.map { $0 != 0 } }
    package var uptime: Uptime? { text.flatMap(Uptime.init) }
    package var cashier: CashierName? { text.flatMap { try? CashierName($0) } }
    package var account: Account? { text.flatMap { Account($0) } }
    package var keyID: UInt8? { integer.flatMap(UInt8.init(exactly:)) }

    private static let possibleUnits: ClosedRange<Int64> =
        -1_000_000_000_000_000_000...1_000_000_000_000_000_000
    /// 100,000,000 days before and after 1970.
    private static let possibleTimes: ClosedRange<Int64> =
        -8_640_000_000_000_000...8_640_000_000_000_000
}
