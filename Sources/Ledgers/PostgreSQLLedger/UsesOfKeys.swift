import Ledger
import LedgerColumns
import TapcardDomain

/// The uses of keys, from the indexes over the keys: however many cards and records there are, no
/// row of them is read for a key that is stored with it.
extension PostgreSQLRows {
    func usesOfKeys(
        _ keyOf: (_ record: [UInt8]) -> UInt8?
    ) throws(LedgerError) -> [UInt8: KeyUse] {
        var uses: [UInt8: KeyUse] = [:]
        for (key, count) in try query(cards(by: "sealed_by")) {
            uses[key] = KeyUse(cards: count, first: try firstCards(under: key), protected: 0)
        }
        for (key, count) in try query(cards(by: "protection_key")) {
            uses[key, default: KeyUse()].countProtected(count)
        }
        for (uid, record) in try query(lastRecordsWithoutKey) {
            if let key = keyOf(record) { uses[key, default: KeyUse()].countSealed(uid) }
        }
        return uses
    }

    func usedKeys(_ keyOf: (_ record: [UInt8]) -> UInt8?) throws(LedgerError) -> Set<UInt8> {
        let stored = Selection(
            """
            SELECT id FROM retired_key
            UNION (\(PostgreSQLRows.distinct("protection_key", in: "card")))
            UNION (\(PostgreSQLRows.distinct("key_id", in: "issued_record")))
            """
        ) { row throws(LedgerError) in try row.value(\.keyID) }
        let others = Selection(
            """
            SELECT DISTINCT ON (get_byte(bytes, 0)) bytes FROM issued_record WHERE key_id IS NULL
            """
        ) { row throws(LedgerError) in try row.value(\.blob) }
        return Set(try query(stored) + query(others).compactMap(keyOf))
    }

    /// The values of an indexed column, from one to the next higher: a step for each of them, and
    /// none for each row.
    private static func distinct(_ column: String, in table: String) -> String {
        """
        WITH RECURSIVE found (id) AS (
            (SELECT \(column) FROM \(table) WHERE \(column) >= 0 ORDER BY \(column) LIMIT 1)
            UNION ALL
            SELECT (SELECT \(column) FROM \(table) WHERE \(column) > found.id
                ORDER BY \(column) LIMIT 1)
            FROM found WHERE found.id IS NOT NULL)
        SELECT id FROM found WHERE id IS NOT NULL
        """
    }

    private func cards(by column: String) -> Selection<(key: UInt8, count: Int)> {
        Selection("SELECT \(column), count(*) FROM card WHERE \(column) >= 0 GROUP BY \(column)") {
            row throws(LedgerError) in
            (
                key: try row.value(\.keyID),
                count: try row.value { $0.integer.flatMap(Int.init(exactly:)) }
            )
        }
    }

    /// By a comparison of rows, which only the index over the keys answers: by that over the cards
    /// the server might look at each card for the few that have a key.
    private func firstCards(under key: UInt8) throws(LedgerError) -> [CardUID] {
        let page = try query(
            Selection(
                """
                SELECT sealed_by, uid FROM card WHERE (sealed_by, uid) >= ($1, 0)
                ORDER BY sealed_by, uid LIMIT $2
                """, [.integer(Int64(key)), .count(KeyUse.mostNamed)]
            ) { row throws(LedgerError) in
                (key: try row.value(\.keyID), uid: try row.value(\.uid))
            })
        return page.filter { $0.key == key }.map(\.uid)
    }

    /// Records of a ledger from before version 8 of the files are stored without their key.
    private var lastRecordsWithoutKey: Selection<(uid: CardUID, record: [UInt8])> {
        Selection(
            """
            SELECT card.uid, record.bytes FROM card
                JOIN issued_record AS record
                    ON record.uid = card.uid AND record.sequence = card.confirmed
            WHERE card.sealed_by IS NULL ORDER BY card.uid
            """
        ) { row throws(LedgerError) in (uid: try row.value(\.uid), record: try row.value(\.blob)) }
    }
}
