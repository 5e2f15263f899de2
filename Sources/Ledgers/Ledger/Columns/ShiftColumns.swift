import TapcardDomain

extension Shift {
    package static let columnNames = [
        "id", "station", "opened_at", "opened_by", "float", "closed_at", "closed_by", "expected",
    ]

    /// Reads the columns. The counts are read separately.
    package init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            id: try row.value(\.id), station: try row.value(\.integer),
            openedAt: try row.value(\.time), openedBy: try row.optional(\.cashier),
            float: try row.value(\.units))
        let (at, by) = (try row.optional(\.time), try row.optional(\.cashier))
        let expected = try row.optional(\.units)
        if let at, let expected { closing = Closing(at: at, by: by, expected: expected) }
    }

    /// The values of the opening, except for the station.
    package var openingValues: [SQLValue] {
        [.id(id), .time(openedAt), .optional(openedBy?.text, SQLValue.text), .integer(float)]
    }

    /// The ID, and the values of the closing.
    package var closingValues: [SQLValue] {
        [
            .id(id), .optional(closing?.at, SQLValue.time),
            .optional(closing?.by?.text, SQLValue.text),
            .optional(closing?.expected, SQLValue.integer),
        ]
    }

    /// This shift with its counts.
    package func with(_ counts: [(shift: ShiftID, count: Count)]) -> Shift {
        var shift = self
        shift.counts = counts.filter { $0.shift == id }.map(\.count)
        return shift
    }
}

extension Shift.Count {
    package static let columns = "shift, amount, at, cashier"

    package static func read(
        _ row: inout Columns
    ) throws(LedgerError) -> (shift: ShiftID, count: Shift.Count) {
        (
            try row.value(\.id),
            Shift.Count(
                amount: try row.value(\.units), at: try row.value(\.time),
                cashier: try row.optional(\.cashier))
        )
    }

    package func values(of shift: Shift) -> [SQLValue] {
        [
            .id(shift.id), .integer(amount), .time(at),
            .optional(cashier?.text, SQLValue.text),
        ]
    }
}
