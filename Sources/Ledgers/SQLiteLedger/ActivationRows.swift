import Ledger
import TapcardDomain

extension SQLiteRows {
    func activation(_ id: OperationID) throws(LedgerError) -> ActivationAttempt? {
        try activations(where: "id = ?", [.id(id)]).first
    }

    func activation(of code: ScratchCode) throws(LedgerError) -> ActivationAttempt? {
        try activations(where: "code = ? AND state <> 'rejected'", [.id(code)]).first
    }

    func activations() throws(LedgerError) -> [ActivationAttempt] {
        try activations(where: "TRUE ORDER BY position", [])
    }

    func insert(_ attempt: ActivationAttempt) throws(LedgerError) {
        try connection.run(
            "INSERT INTO activation (\(ActivationAttempt.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                .id(attempt.id), .uid(attempt.card), .id(attempt.code),
                .time(attempt.requestedAt), .text(attempt.state.rawValue),
                .optional(attempt.answeredAt, SQLValue.time),
                .optional(attempt.version, SQLValue.text),
            ])
    }

    func update(_ attempt: ActivationAttempt) throws(LedgerError) {
        let updated = try connection.query(
            """
            UPDATE activation SET state = ?2, answered_at = ?3, version = ?4
            WHERE id = ?1 RETURNING position
            """,
            [
                .id(attempt.id), .text(attempt.state.rawValue),
                .optional(attempt.answeredAt, SQLValue.time),
                .optional(attempt.version, SQLValue.text),
            ]
        ) { row throws(LedgerError) in try row.value(\.integer) }
        guard updated.count == 1 else {
            throw LedgerError(.corrupt, "attempt \(attempt.id) is not in the ledger")
        }
    }

    private func activations(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [ActivationAttempt] {
        try connection.query(
            "SELECT \(ActivationAttempt.columns) FROM activation WHERE \(condition)", values
        ) { row throws(LedgerError) in try ActivationAttempt(&row) }
    }
}

extension ActivationAttempt {
    fileprivate static let columns = "id, uid, code, requested_at, state, answered_at, version"

    fileprivate init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            id: try row.value(\.id), card: try row.value(\.uid), code: try row.value(\.id),
            requestedAt: try row.value(\.time), state: try row.word(),
            answeredAt: try row.optional(\.time), version: try row.optional(\.text))
    }
}
