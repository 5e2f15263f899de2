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

    func operations(on uid: CardUID?) throws(LedgerError) -> [Operation] {
        guard let uid else { return try operations(where: "TRUE ORDER BY position", []) }
        return try operations(where: "uid = ? ORDER BY position", [.uid(uid)])
    }

    func operations(on uid: CardUID?, last count: Int) throws(LedgerError) -> [Operation] {
        let count = SQLValue.integer(Int64(max(count, 0)))
        let newestFirst =
            if let uid {
                try operations(where: "uid = ? ORDER BY position DESC LIMIT ?", [.uid(uid), count])
            } else {
                try operations(where: "TRUE ORDER BY position DESC LIMIT ?", [count])
            }
        return newestFirst.reversed()
    }

    func operations(
        begunSince start: Timestamp, until end: Timestamp
    ) throws(LedgerError) -> [Operation] {
        try operations(
            where: "begun_at >= ? AND begun_at < ? ORDER BY begun_at, position",
            [.time(start), .time(end)])
    }

    func insert(_ operation: Operation) throws(LedgerError) {
        try connection.run(
            "INSERT INTO operation (\(Operation.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                .id(operation.id), .uid(operation.uid), .text(operation.kind.rawValue),
                .integer(operation.amount), .optional(operation.reverses, SQLValue.id),
                .optional(operation.subject, SQLValue.text),
                .optional(operation.parameters, SQLValue.text),
                .optional(operation.cashier?.text, SQLValue.text), .time(operation.begunAt),
                .text(operation.state.rawValue),
                .number(operation.sequence), .optional(operation.endedAt, SQLValue.time),
                .optional(operation.balanceAfter, SQLValue.integer),
            ])
    }

    func update(_ operation: Operation) throws(LedgerError) {
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
        guard updated.count == 1 else {
            throw LedgerError(.corrupt, "operation \(operation.id) is not in the ledger")
        }
    }

    func forgetParameters(of uid: CardUID) throws(LedgerError) {
        try connection.run(
            "UPDATE operation SET parameters = NULL WHERE uid = ? AND parameters IS NOT NULL",
            [.uid(uid)])
    }

    func claim(of id: TicketID) throws(LedgerError) -> Operation? {
        try operations(
            where: "kind IN ('claim', 'payout') AND subject = ?", [.text(id.text)]
        ).first
    }

    private func operations(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [Operation] {
        try connection.query(
            "SELECT \(Operation.columns) FROM operation WHERE \(condition)", values
        ) { row throws(LedgerError) in try Operation(&row) }
    }
}

extension Operation {
    fileprivate static let columns = """
        id, uid, kind, amount, reverses, subject, parameters, cashier, begun_at, state, sequence, ended_at,
        balance_after
        """

    fileprivate init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            id: try row.value(\.id), uid: try row.value(\.uid), kind: try row.word(),
            amount: try row.value(\.integer), reverses: try row.optional(\.id),
            subject: try row.optional(\.text), parameters: try row.optional(\.text),
            cashier: try row.optional(\.cashier),
            begunAt: try row.value(\.time), state: try row.word(),
            sequence: try row.value(\.number), endedAt: try row.optional(\.time),
            balanceAfter: try row.optional(\.integer))
    }
}
