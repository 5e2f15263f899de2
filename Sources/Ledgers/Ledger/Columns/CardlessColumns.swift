import TapcardDomain

extension CardlessOperation {
    /// The columns that ``values`` fills, in the same order. Each storage adds the shift itself.
    package static let columnNames = [
        "id", "kind", "amount", "tender", "rounding", "given", "lines", "reverses", "reason",
        "cashier", "till", "supervisor", "at",
    ]
    /// The same columns as a list for SQL statements.
    package static let columns = columnNames.joined(separator: ", ")

    /// The values to store in ``columns``.
    package var values: [SQLValue] {
        [
            .id(id), .text(kind.rawValue), .integer(amount), .text(tender.rawValue),
            .integer(rounding), .optional(given, SQLValue.integer),
            .optional(lines.stored, SQLValue.text), .optional(reverses, SQLValue.id),
            .optional(reason) { .text($0.text) },
        ] + requester.values + [.time(at)]
    }

    /// Reads ``columns``, followed by the shift and the station.
    package init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            id: try row.value(\.id), kind: try row.word(), amount: try row.value(\.units),
            tender: try row.word(), rounding: try row.value(\.units),
            given: try row.optional(\.units),
            lines: try row.optional { $0.text.flatMap([SaleLine].init(stored:)) } ?? [],
            reverses: try row.optional(\.id), reason: try row.optional(\.saleText),
            by: try Requester(&row), at: try row.value(\.time),
            shift: try row.optional(\.id), station: try row.optional(\.text))
    }
}
