import Ledger
import TapcardDomain

extension SQLiteRows {
    func issued(
        _ uid: CardUID, _ sequence: SequenceNumber
    ) throws(LedgerError) -> IssuedRecord? {
        try records(where: "uid = ? AND sequence = ?", [.uid(uid), .number(sequence)]).first
    }

    func issued(as bytes: [UInt8]) throws(LedgerError) -> IssuedRecord? {
        try records(where: "bytes = ?", [.blob(bytes)]).first
    }

    func issuedRecords(on uid: CardUID) throws(LedgerError) -> [IssuedRecord] {
        try records(where: "uid = ? ORDER BY sequence", [.uid(uid)])
    }

    func insert(_ record: IssuedRecord) throws(LedgerError) {
        // A trigger refuses a record that is sealed with a retired key.
        try connection.run(
            "INSERT INTO issued_record (\(IssuedRecord.columns)) VALUES (?, ?, ?, ?, ?)",
            record.values)
    }

    func recordsMadeAfterRetirement() throws(LedgerError) -> [IssuedRecord] {
        try records(
            where: """
                EXISTS (
                    SELECT 1 FROM retired_key JOIN operation ON position > last_operation
                    WHERE retired_key.id = key_id AND operation.id = issued_record.operation)
                """, [])
    }

    func retiredKeys() throws(LedgerError) -> [RetiredKey] {
        try connection.query("SELECT id, retired_at FROM retired_key ORDER BY id") {
            row throws(LedgerError) in
            RetiredKey(id: try row.value(\.keyID), retiredAt: try row.value(\.time))
        }
    }

    func insert(_ key: RetiredKey) throws(LedgerError) {
        // The audit uses the last operation so far to find records made after the retirement.
        try connection.run(
            """
            INSERT INTO retired_key (id, retired_at, last_operation)
            VALUES (?, ?, (SELECT coalesce(max(position), 0) FROM operation))
            """, [.integer(Int64(key.id)), .time(key.retiredAt)])
    }

    private func records(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [IssuedRecord] {
        try connection.query(
            "SELECT \(IssuedRecord.columns) FROM issued_record WHERE \(condition)", values
        ) { row throws(LedgerError) in try IssuedRecord(&row) }
    }
}
