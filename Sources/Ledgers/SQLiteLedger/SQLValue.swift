import TapcardDomain

/// The value of one column of a row, or of one parameter of a statement.
enum SQLValue: Hashable, Sendable {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    case null
}

/// The domain's types as columns. Identifiers are text, so that an auditor can read the file with
/// any SQLite tool.
extension SQLValue {
    static func uid(_ uid: CardUID) -> SQLValue { .text(uid.description) }
    static func id(_ id: UniqueID) -> SQLValue { .text(id.description) }
    static func number(_ sequence: SequenceNumber) -> SQLValue { .integer(Int64(sequence.value)) }
    static func time(_ time: Timestamp) -> SQLValue { .integer(time.milliseconds) }
    /// A limit of rows; SQLite would take a negative one as "no limit".
    static func count(_ count: Int) -> SQLValue { .integer(Int64(max(count, 0))) }
    static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }

    /// The value, or NULL for nil.
    static func optional<Wrapped>(
        _ wrapped: Wrapped?, _ make: (Wrapped) -> SQLValue
    ) -> SQLValue {
        wrapped.map(make) ?? .null
    }
}
