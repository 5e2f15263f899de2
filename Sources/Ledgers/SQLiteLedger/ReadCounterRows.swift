import Ledger
import TapcardDomain

/// The read counters at which the customer page was last shown.
extension SQLiteRows {
    func readCounter(of uid: CardUID) throws(LedgerError) -> ReadCounter? {
        try connection.query("SELECT last FROM read_counter WHERE uid = ?", [.uid(uid)]) {
            row throws(LedgerError) in try row.value(\.readCounter)
        }.first
    }

    func raise(_ counter: ReadCounter, of uid: CardUID) throws(LedgerError) -> Bool {
        // One statement, so that if several servers store a counter, only the first gets a row.
        let raised = try connection.query(
            """
            INSERT INTO read_counter (uid, last) VALUES (?1, ?2)
            ON CONFLICT (uid) DO UPDATE SET last = ?2 WHERE last < ?2
            RETURNING last
            """, [.uid(uid), .integer(Int64(counter.value))]
        ) { row throws(LedgerError) in try row.value(\.readCounter) }
        return !raised.isEmpty
    }
}
