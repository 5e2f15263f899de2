import TapcardDomain

extension Shift {
    /// The columns that ``init(_:)`` reads, in this order. SQLite does not store a station, so its
    /// queries supply 0.
    package static let columnNames = [
        "id", "station", "opened_at", "opened_by", "float", "closed_at", "closed_by", "expected",
    ]

    /// Reads a shift without its counts, which ``with(_:)`` adds.
    package init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            id: try row.value(\.id), station: try row.value(\.integer),
            openedAt: try row.value(\.time), openedBy: try row.optional(\.cashier),
            float: try row.value(\.units))
        let (at, by) = (try row.optional(\.time), try row.optional(\.cashier))
        let expected = try row.optional(\.units)
        if let at, let expected { closing = Closing(at: at, by: by, expected: expected) }
    }

    /// The values that are stored when the shift is opened: its ID, the time, the cashier, and the
    /// float. PostgreSQL also stores the station.
    package var openingValues: [SQLValue] {
        [.id(id), .time(openedAt), .optional(openedBy?.text, SQLValue.text), .integer(float)]
    }

    /// The shift's ID, and the values that are stored when it is closed: the time, the cashier, and
    /// the expected cash. While the shift is open, the last three are NULL.
    package var closingValues: [SQLValue] {
        [
            .id(id), .optional(closing?.at, SQLValue.time),
            .optional(closing?.by?.text, SQLValue.text),
            .optional(closing?.expected, SQLValue.integer),
        ]
    }

    /// The shift with its own counts from this list, in the order of the list.
    package func with(_ counts: [(shift: ShiftID, count: Count)]) -> Shift {
        var shift = self
        shift.counts = counts.filter { $0.shift == id }.map(\.count)
        return shift
    }
}

extension Shift.Count {
    /// The columns that ``read(_:)`` reads and ``values(of:)`` fills.
    package static let columns = "shift, amount, at, cashier"

    /// Reads a count and the ID of its shift.
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

    /// The values to store for a count of this shift, in the order of ``columns``.
    package func values(of shift: Shift) -> [SQLValue] {
        [
            .id(shift.id), .integer(amount), .time(at),
            .optional(cashier?.text, SQLValue.text),
        ]
    }
}
