package import Ledger
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
        self.init(
            uid: try row.value(\.uid), sequence: try row.value(\.number),
            bytes: try row.value { $0.blob.flatMap { $0.count == recordSize ? $0 : nil } },
            operation: try row.value(\.id),
            keyID: try row.value(\.keyID))
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
