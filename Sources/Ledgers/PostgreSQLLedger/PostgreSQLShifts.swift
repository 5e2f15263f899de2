import Ledger
import TapcardDomain

extension Shift: TableRow {
    static let table = "shift"
    static let qualifiedColumns = columnNames.map { "shift.\($0)" }.joined(separator: ", ")
}

extension PostgreSQLRows {
    func openShift() throws(LedgerError) -> Shift? {
        // The lock waits for the transactions that are adding entries to the shift.
        let lock = isWriting ? " FOR NO KEY UPDATE" : ""
        return try row(
            where: "station = $1 AND closed_at IS NULL\(lock)", [.integer(opening.station)])
    }

    func shift(_ id: ShiftID) throws(LedgerError) -> Shift? {
        let shift: Shift? = try row(where: "id = $1", [.id(id)])
        return try shift.map { shift throws(LedgerError) in
            shift.with(try counts(where: "shift = $1", [.id(id)]))
        }
    }

    func shifts() throws(LedgerError) -> [Shift] {
        let shifts: [Shift] = try rows(where: "TRUE ORDER BY opened_at, id")
        let counts = try counts(where: "TRUE", [])
        return shifts.map { $0.with(counts) }
    }

    /// The counts that meet a condition. Those of one shift are in the order in which they were
    /// saved.
    private func counts(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [(shift: ShiftID, count: Shift.Count)] {
        try query(
            Selection(
                """
                SELECT \(Shift.Count.columns) FROM shift_count
                WHERE \(condition) ORDER BY shift, position
                """, values, of: "shift_count"
            ) { row throws(LedgerError) in try Shift.Count.read(&row) })
    }

    func insert(_ shift: Shift) { change([shift.insertion(at: opening.station)]) }

    /// Closes a shift. The transaction fails if the shift has already been closed.
    func close(_ shift: Shift) {
        change(
            counting: """
                UPDATE shift SET closed_at = $2, closed_by = $3, expected = $4
                WHERE id = $1 AND closed_at IS NULL
                """, shift.closingValues)
    }

    func insert(_ count: Shift.Count, of shift: Shift) {
        change([count.insertion(of: shift, position: shift.counts.count)])
    }

    func entries(inShift id: ShiftID) throws(LedgerError) -> [Entry] {
        try query(entrySelection("entry WHERE shift = $1", [.id(id)]))
    }

    func cardless(inShift id: ShiftID) throws(LedgerError) -> [CardlessOperation] {
        try rows(where: "shift = $1 ORDER BY at, id", [.id(id)])
    }

    func lateOperations(of shift: Shift) throws(LedgerError) -> [Operation] {
        guard let end = shift.closing?.at else { return [] }
        return try rows(
            where: """
                begun_at >= $1 AND begun_at < $2 AND EXISTS (
                    SELECT 1 FROM entry
                    WHERE entry.uid = operation.uid AND entry.operation = operation.id
                        AND entry.station = $4 AND entry.shift IS DISTINCT FROM $3
                        AND entry.posted_at >= $2)
                ORDER BY begun_at, place, id
                """,
            [.time(shift.openedAt), .time(end), .id(shift.id), .integer(shift.station)])
    }
}

extension Shift {
    /// The statement that inserts the shift. It also inserts the closing, because a shift copied
    /// from another ledger is already closed.
    func insertion(at station: Int64) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO shift (id, opened_at, opened_by, float, station, closed_at, closed_by,
                expected)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """, openingValues + [.integer(station)] + closingValues.dropFirst())
    }
}

extension Shift.Count {
    /// The statement that inserts the count. `position` is the number of earlier counts of the
    /// shift.
    func insertion(of shift: Shift, position: Int) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO shift_count (\(Shift.Count.columns), position)
            VALUES ($1, $2, $3, $4, $5)
            """, values(of: shift) + [.count(position)])
    }
}
