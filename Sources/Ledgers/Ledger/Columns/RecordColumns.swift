import TapcardDomain

extension IssuedRecord {
    package static let columns = "uid, sequence, bytes, operation, key_id"

    package var values: [SQLValue] {
        [
            .uid(uid), .number(sequence), .blob(bytes), .id(operation), .integer(Int64(keyID)),
        ]
    }

    package init(_ row: inout Columns) throws(LedgerError) {
        let recordSize = 16
        let (uid, sequence) = (try row.value(\.uid), try row.value(\.number))
        let bytes = try row.value { $0.blob.flatMap { $0.count == recordSize ? $0 : nil } }
        let operation = try row.value(\.id)
        guard let keyID = try row.optional(\.keyID) else {
            throw LedgerError(
                .unavailable,
                "a record has no key ID, so it is from before the first release; use the version "
                    + "of tapcard that wrote it, or use another ledger")
        }
        self.init(uid: uid, sequence: sequence, bytes: bytes, operation: operation, keyID: keyID)
    }
}

extension ActivationAttempt {
    package static let columns = "id, uid, code, requested_at, state, answered_at, version"

    package var values: [SQLValue] {
        [
            .id(id), .uid(card), .id(code), .time(requestedAt), .text(state.rawValue),
            .optional(answeredAt, SQLValue.time), .optional(version, SQLValue.text),
        ]
    }

    package init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            id: try row.value(\.id), card: try row.value(\.uid), code: try row.value(\.id),
            requestedAt: try row.value(\.time), state: try row.word(),
            answeredAt: try row.optional(\.time), version: try row.optional(\.text))
    }
}
