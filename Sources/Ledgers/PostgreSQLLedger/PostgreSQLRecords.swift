import Ledger
import TapcardDomain

extension IssuedRecord {
    /// A statement that fails if the key has been retired or is not the sealing key, even if that
    /// changed only after the transaction read the keys.
    var insertion: SQLStatement {
        SQLStatement(
            counting:
                """
                INSERT INTO issued_record (\(IssuedRecord.columns))
                SELECT $1, $2, $3, $4, $5::smallint
                WHERE NOT EXISTS (SELECT 1 FROM retired_key WHERE id = $5::smallint)
                    AND coalesce((\(IssuerKeys.sealing)), $5::smallint) = $5::smallint
                """, values)
    }
}

extension SequenceGap {
    func insertion(at place: Int64) -> SQLStatement {
        SQLStatement(
            "INSERT INTO gap (uid, place, first, last) VALUES ($1, $2, $3, $4)",
            [
                .uid(uid), .integer(place), .number(numbers.lowerBound),
                .number(numbers.upperBound),
            ])
    }
}

extension RetiredKey {
    /// A statement that fails if all stations seal with this key. A rotation may have changed that
    /// after the transaction read the keys.
    var insertion: SQLStatement {
        SQLStatement(
            counting:
                """
                INSERT INTO retired_key (id, retired_at, place)
                SELECT $1::smallint, $2, (SELECT coalesce(max(place), 0) FROM operation)
                WHERE $1::smallint IS DISTINCT FROM (\(IssuerKeys.sealing))
                """, [.integer(Int64(id)), .time(retiredAt)])
    }
}

extension PostgreSQLRows {
    func issued(
        _ uid: CardUID, _ sequence: SequenceNumber
    ) throws(LedgerError) -> IssuedRecord? {
        // A stored nil means that there is no such record.
        if let record = known.records[uid]?[sequence] { return record }
        return try row(
            where: "uid = $1 AND sequence = $2", [.uid(uid), .number(sequence)]
        )
    }

    func issued(as bytes: [UInt8]) throws(LedgerError) -> IssuedRecord? {
        try row(where: "bytes = $1", [.blob(bytes)])
    }

    func issuedRecords(on uid: CardUID) throws(LedgerError) -> [IssuedRecord] {
        if let page = cardRowsPage, page.contains(uid) { return page.records[uid] ?? [] }
        return try rows(where: "uid = $1 ORDER BY sequence", [.uid(uid)])
    }

    func insert(_ record: IssuedRecord) throws(LedgerError) {
        known.records[record.uid, default: [:]][record.sequence] = record
        try touch(record.uid)
        change([record.insertion])
    }

    func recordsMadeAfterRetirement() throws(LedgerError) -> [IssuedRecord] {
        try rows(
            where: """
                EXISTS (
                    SELECT 1 FROM retired_key JOIN operation ON operation.place > retired_key.place
                    WHERE retired_key.id = key_id AND operation.uid = issued_record.uid
                        AND operation.id = issued_record.operation)
                """)
    }

    func retiredKeys() throws(LedgerError) -> [RetiredKey] { try keys().retired }
    func sealingKey() throws(LedgerError) -> UInt8? { try keys().sealing }

    private func keys() throws(LedgerError) -> KnownRows.Keys {
        if let keys = known.keys { return keys }
        let selection = Selection("SELECT \(KnownRows.Keys.selected)") { row throws(LedgerError) in
            try KnownRows.Keys(&row)
        }
        guard let keys = try query(selection).first else { throw Columns.unreadable }
        known.keys = keys
        return keys
    }

    /// Waits for transactions that are adding records; later ones see that the key is retired.
    func insert(_ key: RetiredKey) throws(LedgerError) {
        // This lock mode blocks insertions but not reads.
        change("LOCK TABLE issued_record IN SHARE ROW EXCLUSIVE MODE", [])
        change([key.insertion])
        // If the key was announced but has not become the sealing key, its announcement is
        // withdrawn.
        change(
            "UPDATE key_mark SET announced_at = NULL WHERE id = $1 AND turn IS NULL",
            [.integer(Int64(key.id))])
        known.keys = nil
    }

    func gaps(on uid: CardUID) throws(LedgerError) -> [SequenceGap] {
        let stored: [SequenceGap]
        if let gaps = known.gaps[uid] {
            stored = gaps
        } else if let page = cardRowsPage, page.contains(uid) {
            stored = page.gaps[uid] ?? []
        } else {
            stored = try query(gapSelection(where: "uid = $1", [.uid(uid)]))
        }
        // Numbers lost to the ledger count as a gap even before the gap is stored.
        guard let skipped = try cardRow(uid)?.skipped else { return stored }
        return stored + [skipped]
    }

    func gapSelection(where condition: String, _ values: [SQLValue]) -> Selection<SequenceGap> {
        Selection(
            "SELECT uid, first, last FROM gap WHERE \(condition) ORDER BY uid, place", values,
            of: "gap"
        ) { row throws(LedgerError) in
            let uid = try row.value(\.uid)
            let first = try row.value(\.number)
            let last = try row.value(\.number)
            guard first <= last else { throw Columns.unreadable }
            return SequenceGap(uid: uid, numbers: first...last)
        }
    }

    func insert(_ gap: SequenceGap) throws(LedgerError) {
        // If the card's gaps have not been read, a list with only this one would be incomplete.
        known.gaps[gap.uid]?.append(gap)
        change([gap.insertion(at: try nextPlace(on: gap.uid))])
    }
}
