package import TapcardDomain

extension Product {
    /// The columns of the table, in the order of ``values``. The column `family` holds the group.
    package static let columnNames = [
        "id", "name", "family", "price", "color", "position", "deposit", "minimum_age",
        "is_sold_out", "is_retired",
    ]
    /// The same columns as a list for SQL statements.
    package static let columns = columnNames.joined(separator: ", ")

    /// The values to store in ``columns``.
    package var values: [SQLValue] {
        [
            .id(id), .text(name.text), .optional(group) { .text($0.text) },
            .optional(price, SQLValue.integer), .optional(color) { .text($0.rawValue) },
            .integer(Int64(position)), .optional(deposit, SQLValue.id),
            .optional(minimumAge) { .integer(Int64($0)) }, .flag(isSoldOut), .flag(isRetired),
        ]
    }

    /// Reads ``columns``.
    package init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            id: try row.value(\.id), name: try row.value(\.saleText),
            group: try row.optional(\.saleText), price: try row.optional(\.units),
            color: try row.optional { $0.text.flatMap(Color.init(rawValue:)) },
            position: try row.value { $0.integer.flatMap(Int.init(exactly:)) },
            deposit: try row.optional(\.id),
            minimumAge: try row.optional { $0.integer.flatMap(Int.init(exactly:)) },
            isSoldOut: try row.value(\.flag), isRetired: try row.value(\.flag))
    }
}

extension SQLValue {
    /// The value as a ``SaleText``; nil if it is not a valid one.
    package var saleText: SaleText? { text.flatMap { try? SaleText($0) } }
}
