import Ledger
import TapcardDomain

/// Counts the uses of keys with only the indexes on the key columns, without reading the rows of
/// cards or records.
extension PostgreSQLRows {
    func keyUsage() throws(LedgerError) -> [UInt8: KeyUse] {
        var uses: [UInt8: KeyUse] = [:]
        for (key, count) in try query(cards(by: "sealed_by")) {
            uses[key] = KeyUse(cards: count, first: try firstCards(under: key), protected: 0)
        }
        for (key, count) in try query(cards(by: "protection_key")) {
            uses[key, default: KeyUse()].countProtected(count)
        }
        return uses
    }

    func usedKeys() throws(LedgerError) -> Set<UInt8> {
        let used = Selection(
            """
            SELECT id FROM retired_key
            UNION (\(PostgreSQLRows.distinct("protection_key", in: "card")))
            UNION (\(PostgreSQLRows.distinct("key_id", in: "issued_record")))
            """
        ) { row throws(LedgerError) in try row.value(\.keyID) }
        return Set(try query(used))
    }

    /// The values of an indexed column, found by stepping from each one to the next higher one, so
    /// that the cost depends on the number of values, not of rows.
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
        // The condition leaves out cards without a key, whose column is NULL.
        Selection("SELECT \(column), count(*) FROM card WHERE \(column) >= 0 GROUP BY \(column)") {
            row throws(LedgerError) in
            (
                key: try row.value(\.keyID),
                count: try row.value { $0.integer.flatMap(Int.init(exactly:)) }
            )
        }
    }

    /// The first cards with a key, found by comparing rows in a way that only the index on the keys
    /// supports. With the index on the cards, the server might look at every card to find a few.
    private func firstCards(under key: UInt8) throws(LedgerError) -> [CardUID] {
        let page = try query(
            Selection(
                """
                SELECT sealed_by, uid FROM card WHERE (sealed_by, uid) >= ($1, 0)
                ORDER BY sealed_by, uid LIMIT $2
                """, [.integer(Int64(key)), .count(KeyUse.maximumListed)]
            ) { row throws(LedgerError) in
                (key: try row.value(\.keyID), uid: try row.value(\.uid))
            })
        // The page may continue with cards of the next key.
        return page.filter { $0.key == key }.map(\.uid)
    }
}
