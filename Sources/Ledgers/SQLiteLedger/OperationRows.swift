import Ledger
import TapcardDomain

extension SQLiteRows {
    func operation(_ id: OperationID) throws(LedgerError) -> Operation? {
        try operations(where: "id = ?", [.id(id)]).first
    }

    func openOperation(on uid: CardUID) throws(LedgerError) -> Operation? {
        try operations(where: "uid = ? AND state = 'pending'", [.uid(uid)]).first
    }

    func refund(of id: OperationID) throws(LedgerError) -> Operation? {
        try operations(where: "reverses = ?", [.id(id)]).first
    }

    func operations(
        on uid: CardUID?, after id: OperationID?, atMost count: Int
    ) throws(LedgerError) -> [Operation] {
        // Positions start at 1, so without an ID, every row comes after 0.
        let place = SQLValue.integer(try id.flatMap(place(of:)) ?? 0)
        guard let uid else {
            return try operations(
                where: "position > ? ORDER BY position LIMIT ?", [place, .count(count)])
        }
        return try operations(
            where: "uid = ? AND position > ? ORDER BY position LIMIT ?",
            [.uid(uid), place, .count(count)])
    }

    func place(of id: OperationID) throws(LedgerError) -> Int64? {
        try connection.query("SELECT position FROM operation WHERE id = ?", [.id(id)]) {
            row throws(LedgerError) in try row.value(\.integer)
        }.first
    }

    func replacements(on uid: CardUID) throws(LedgerError) -> [Operation] {
        try operations(where: "uid = ? AND kind = 'replace' ORDER BY position", [.uid(uid)])
    }

    func replacements(of uid: CardUID) throws(LedgerError) -> [Operation] {
        // ";" follows ":" in ASCII, so this range covers all accounts that the card has had.
        try operations(
            where: """
                kind = 'replace' AND uid <> ? AND id IN (
                    SELECT operation FROM entry
                    WHERE account LIKE 'purse:%' AND account > ? AND account < ?)
                ORDER BY position
                """, [.uid(uid), .text("purse:\(uid):"), .text("purse:\(uid);")])
    }

    func operations(on uid: CardUID?, last count: Int) throws(LedgerError) -> [Operation] {
        let count = SQLValue.count(count)
        let newestFirst =
            if let uid {
                try operations(where: "uid = ? ORDER BY position DESC LIMIT ?", [.uid(uid), count])
            } else {
                try operations(where: "TRUE ORDER BY position DESC LIMIT ?", [count])
            }
        return newestFirst.reversed()
    }

    func operations(
        begunSince start: Timestamp, until end: Timestamp, after last: Operation?,
        atMost count: Int
    ) throws(LedgerError) -> [Operation] {
        try operations(
            where: SQLiteRows.begunInSpan, span(from: start, to: end, after: last, atMost: count))
    }

    func bookings(
        begunSince start: Timestamp, until end: Timestamp, after last: Operation?,
        atMost count: Int
    ) throws(LedgerError) -> [Booking] {
        try connection.query(
            """
            SELECT \(Operation.columns),
                (SELECT holder_name FROM card WHERE card.uid = operation.uid),
                (SELECT group_concat(text, char(10)) FROM (
                    SELECT account || ' ' || amount || ' ' || posted_at
                        || coalesce(' ' || shift, '') AS text FROM entry
                    WHERE entry.operation = operation.id ORDER BY entry.position)), NULL
            FROM operation WHERE \(SQLiteRows.begunInSpan)
            """, span(from: start, to: end, after: last, atMost: count)
        ) { row throws(LedgerError) in try Booking(&row) }
    }

    func lastUses(
        after first: CardUID?, through last: CardUID
    ) throws(LedgerError) -> [CardUID: Timestamp] {
        let uses = try connection.query(
            """
            SELECT uid, max(begun_at) FROM operation
            WHERE uid > ? AND uid <= ? AND kind NOT IN ('block', 'unblock', 'forget') GROUP BY uid
            """, [first.map(SQLValue.uid) ?? .text(""), .uid(last)]
        ) { row throws(LedgerError) in (try row.value(\.uid), try row.value(\.time)) }
        return Dictionary(uses, uniquingKeysWith: { $1 })
    }

    /// Many operations may begin in the same millisecond, so a page continues after a position.
    private static let begunInSpan = """
        begun_at >= ?1 AND begun_at < ?2 AND (begun_at > ?1 OR position > ?3)
        ORDER BY begun_at, position LIMIT ?4
        """

    private func span(
        from start: Timestamp, to end: Timestamp, after last: Operation?, atMost count: Int
    ) throws(LedgerError) -> [SQLValue] {
        let place =
            try last.flatMap { last throws(LedgerError) in try self.place(of: last.id) } ?? 0
        return [.time(last?.beganAt ?? start), .time(end), .integer(place), .count(count)]
    }

    func insert(_ operation: Operation) throws(LedgerError) {
        try connection.run(
            "INSERT INTO operation (\(Operation.columns)) "
                + "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            operation.values)
    }

    func update(_ operation: Operation) throws(LedgerError) {
        // A trigger refuses to change an operation that has ended.
        let updated = try connection.query(
            """
            UPDATE operation SET state = ?2, sequence = ?3, ended_at = ?4, balance_after = ?5
            WHERE id = ?1 RETURNING position
            """,
            [
                .id(operation.id), .text(operation.state.rawValue), .number(operation.sequence),
                .optional(operation.endedAt, SQLValue.time),
                .optional(operation.balanceAfter, SQLValue.integer),
            ]
        ) { row throws(LedgerError) in try row.value(\.integer) }
        // The statement returns a row only if the operation exists.
        guard updated.count == 1 else {
            throw LedgerError(.corrupt, "operation \(operation.id) is not in the ledger")
        }
    }

    func forgetNameInParameters(of uid: CardUID) throws(LedgerError) {
        // The name is the last line of the parameters, so everything before it is kept.
        try connection.run(
            """
            UPDATE operation SET parameters =
                substr(parameters, 1, instr(parameters, char(10) || 'name=')) || 'name'
            WHERE uid = ? AND instr(parameters, char(10) || 'name=') > 0
            """,
            [.uid(uid)])
    }

    func claim(of id: TicketID) throws(LedgerError) -> Operation? {
        try operations(
            where: "kind IN ('claim', 'payout') AND subject = ?", [.text(id.text)]
        ).first
    }

    func operations(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [Operation] {
        try connection.query(
            "SELECT \(Operation.columns) FROM operation WHERE \(condition)", values
        ) { row throws(LedgerError) in try Operation(&row) }
    }
}
