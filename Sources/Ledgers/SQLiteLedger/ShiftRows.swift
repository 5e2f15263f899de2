import Ledger
import TapcardDomain

extension SQLiteRows {
    func openShift() throws(LedgerError) -> Shift? {
        try shifts(where: "closed_at IS NULL", []).first
    }

    func shift(_ id: ShiftID) throws(LedgerError) -> Shift? {
        try shifts(where: "id = ?", [.id(id)]).first
    }

    func shifts() throws(LedgerError) -> [Shift] {
        try shifts(where: "TRUE ORDER BY opened_at, id", [])
    }

    func insert(_ shift: Shift) throws(LedgerError) {
        try connection.run(
            "INSERT INTO shift (id, opened_at, opened_by, float) VALUES (?, ?, ?, ?)",
            shift.openingValues)
    }

    func close(_ shift: Shift) throws(LedgerError) {
        // A trigger refuses to change a shift that is closed.
        try connection.run(
            "UPDATE shift SET closed_at = ?2, closed_by = ?3, expected = ?4 WHERE id = ?1",
            shift.closingValues)
    }

    func insert(_ count: Shift.Count, of shift: Shift) throws(LedgerError) {
        try connection.run(
            "INSERT INTO shift_count (\(Shift.Count.columns)) VALUES (?, ?, ?, ?)",
            count.values(of: shift))
    }

    func entries(inShift id: ShiftID) throws(LedgerError) -> [Entry] {
        try entries(where: "shift = ?", [.id(id)])
    }

    func cardless(inShift id: ShiftID) throws(LedgerError) -> [CardlessOperation] {
        try cardless(where: "shift = ? ORDER BY at, id", [.id(id)])
    }

    func lateOperations(of shift: Shift) throws(LedgerError) -> [Operation] {
        guard let end = shift.closing?.at else { return [] }
        return try operations(
            where: """
                begun_at >= ?1 AND begun_at < ?2 AND EXISTS (
                    SELECT 1 FROM entry WHERE entry.operation = operation.id
                        AND entry.shift IS NOT ?3 AND entry.posted_at >= ?2)
                ORDER BY begun_at, position
                """, [.time(shift.openedAt), .time(end), .id(shift.id)])
    }

    /// The shifts that meet a condition, with their counts. Two queries use the condition and its
    /// values: one for the shifts, and one for the counts.
    private func shifts(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [Shift] {
        let columns = Shift.columnNames.joined(separator: ", ")
            .replacing("station", with: "0 AS station")
        let found = try connection.query("SELECT \(columns) FROM shift WHERE \(condition)", values)
        {
            row throws(LedgerError) in try Shift(&row)
        }
        let counts = try connection.query(
            """
            SELECT \(Shift.Count.columns) FROM shift_count
            WHERE shift IN (SELECT id FROM shift WHERE \(condition)) ORDER BY position
            """, values
        ) { row throws(LedgerError) in try Shift.Count.read(&row) }
        return found.map { $0.with(counts) }
    }
}
