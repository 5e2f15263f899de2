package import TapcardDomain

/// The value of one column of a row, or of one parameter of a statement.
package enum SQLValue: Hashable, Sendable {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    case uid(CardUID)
    case id(UniqueID)
    case null
}

/// Conversions from the domain's types to columns.
extension SQLValue {
    package static func number(_ sequence: SequenceNumber) -> SQLValue {
        .integer(Int64(sequence.value))
    }
    package static func time(_ time: Timestamp) -> SQLValue { .integer(time.milliseconds) }
    /// A limit on the number of rows, never negative, because SQLite would take a negative number
    /// as "no limit".
    package static func count(_ count: Int) -> SQLValue { .integer(Int64(max(count, 0))) }
    package static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }

    /// The value, or NULL for nil.
    package static func optional<Wrapped>(
        _ wrapped: Wrapped?, _ make: (Wrapped) -> SQLValue
    ) -> SQLValue {
        wrapped.map(make) ?? .null
    }
}
