package import TapcardDomain

/// The value of a column in a row, or of a parameter in a statement.
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
    /// A limit on the number of rows. It is never negative, because SQLite treats a negative limit
    /// as no limit.
    package static func count(_ count: Int) -> SQLValue { .integer(Int64(max(count, 0))) }
    package static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }

    /// The value, or NULL for nil.
    package static func optional<Wrapped>(
        _ wrapped: Wrapped?, _ make: (Wrapped) -> SQLValue
    ) -> SQLValue {
        wrapped.map(make) ?? .null
    }
}
