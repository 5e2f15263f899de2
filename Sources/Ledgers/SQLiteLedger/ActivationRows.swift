import Ledger
import TapcardDomain

extension SQLiteRows {
    func activation(_ id: OperationID) throws(LedgerError) -> ActivationAttempt? {
        try activations(where: "id = ?", [.id(id)]).first
    }

    func activation(of code: ScratchCode) throws(LedgerError) -> ActivationAttempt? {
        try activations(where: "code = ? AND state <> 'rejected'", [.id(code)]).first
    }

    func activations(
        on uid: CardUID?, or code: ScratchCode?, after id: OperationID?, atMost count: Int
    ) throws(LedgerError) -> [ActivationAttempt] {
        // Positions start at 1, so without an ID, every row comes after 0.
        let after = "position > coalesce((SELECT position FROM activation WHERE id = ?), 0)"
        return try activations(
            on: uid, or: code, "\(after) ORDER BY position LIMIT ?",
            [.optional(id, SQLValue.id), .count(count)])
    }

    func activations(
        on uid: CardUID?, or code: ScratchCode?, since start: Timestamp
    ) throws(LedgerError) -> [ActivationAttempt] {
        try activations(on: uid, or: code, "requested_at >= ? ORDER BY position", [.time(start)])
    }

    private func activations(
        on uid: CardUID?, or code: ScratchCode?, _ rest: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [ActivationAttempt] {
        guard let uid else { return try activations(where: rest, values) }
        guard let code else {
            return try activations(where: "uid = ? AND \(rest)", [.uid(uid)] + values)
        }
        return try activations(
            where: "(uid = ? OR code = ?) AND \(rest)", [.uid(uid), .id(code)] + values)
    }

    func insert(_ attempt: ActivationAttempt) throws(LedgerError) {
        try connection.run(
            "INSERT INTO activation (\(ActivationAttempt.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
            attempt.values)
    }

    func update(_ attempt: ActivationAttempt) throws(LedgerError) {
        // A trigger rejects changes to an attempt that already has a response.
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
        // The statement returns a row only if the attempt exists.
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
