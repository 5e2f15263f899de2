import Ledger
import TapcardDomain

/// The read counters at which the customer page was last shown.
extension PostgreSQLRows {
    func readCounter(of uid: CardUID) throws(LedgerError) -> ReadCounter? {
        try query(
            Selection("SELECT last FROM read_counter WHERE uid = $1", [.uid(uid)]) {
                row throws(LedgerError) in try row.value(\.readCounter)
            }
        ).first
    }

    /// Stores the counter. If two servers have the same counter, the second one waits for the first
    /// and then changes no row.
    func raise(_ counter: ReadCounter, of uid: CardUID) throws(LedgerError) -> Bool {
        let raised = try query(
            Selection(
                """
                INSERT INTO read_counter (uid, last) VALUES ($1, $2)
                ON CONFLICT (uid) DO UPDATE SET last = $2 WHERE read_counter.last < $2
                RETURNING last
                """, [.uid(uid), .integer(Int64(counter.value))]
            ) { row throws(LedgerError) in try row.value(\.readCounter) })
        if !raised.isEmpty { noteChange() }
        return !raised.isEmpty
    }
}

extension ReadCounter {
    /// The insertion for a copy of a ledger into an empty database.
    func insertion(of uid: CardUID) -> SQLStatement {
        SQLStatement(
            "INSERT INTO read_counter (uid, last) VALUES ($1, $2)",
            [.uid(uid), .integer(Int64(value))])
    }
}
