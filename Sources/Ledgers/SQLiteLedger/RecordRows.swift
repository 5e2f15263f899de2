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
        try connection.run(
            "INSERT INTO issued_record (uid, sequence, bytes, operation) VALUES (?, ?, ?, ?)",
            [
                .uid(record.uid), .number(record.sequence), .blob(record.bytes),
                .id(record.operation),
            ])
    }

    private func records(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [IssuedRecord] {
        try connection.query(
            "SELECT uid, sequence, bytes, operation FROM issued_record WHERE \(condition)", values
        ) { row throws(LedgerError) in
            IssuedRecord(
                uid: try row.value(\.uid), sequence: try row.value(\.number),
                bytes: try row.value(\.blob), operation: try row.value(\.id))
        }
    }
}
