import Ledger
import TapcardDomain

/// The rows of the ledger, as one transaction on this connection sees them.
struct SQLiteRows: LedgerRows {
    let connection: Connection
}

/// Entries, accounts, and gaps; the rows of other tables are in separate files.
extension SQLiteRows {
    func entries(of operation: OperationID?) throws(LedgerError) -> [Entry] {
        guard let operation else { return try entries(where: "TRUE", []) }
        return try entries(where: "operation = ?", [.id(operation)])
    }

    func append(_ entry: Entry) throws(LedgerError) {
        try add(entry.amount, to: entry.account)
        try connection.run(
            """
            INSERT INTO entry (operation, account, amount, posted_at, shift)
            VALUES (?, ?, ?, ?, \(SQLiteRows.openShift))
            """,
            [
                .id(entry.operation), .text(entry.account.description), .integer(entry.amount),
                .time(entry.postedAt),
            ])
    }

    func add(_ amount: Int64, to account: Account) throws(LedgerError) {
        let account = SQLValue.text(account.description)
        // The row for an account is created with its first entry, which refers to it.
        try connection.run(
            "INSERT INTO account (name, balance) VALUES (?, 0) ON CONFLICT DO NOTHING", [account])
        try connection.run(
            "UPDATE account SET balance = balance + ?2 WHERE name = ?1",
            [account, .integer(amount)])
    }

    func balance(of account: Account) throws(LedgerError) -> Int64 {
        // An account has no row before its first entry.
        try connection.query(
            "SELECT balance FROM account WHERE name = ?", [.text(account.description)]
        ) { row throws(LedgerError) in try row.value(\.units) }.first ?? 0
    }

    /// Passes every account to the body. SQLite fails if a sum overflows, so the upper and lower
    /// halves of the amounts are summed separately.
    func forEachAccount(
        _ body: (_ account: Account, _ balance: Int64, _ sum: Int64) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        try connection.forEach(
            """
            SELECT name, sum(balance), sum(high), sum(low) FROM (
                SELECT name, balance, 0 AS high, 0 AS low FROM account
                UNION ALL SELECT account, 0, amount >> 32, amount & 0xFFFFFFFF FROM entry
                UNION ALL SELECT account, 0, amount >> 32, amount & 0xFFFFFFFF
                    FROM cardless_entry)
            GROUP BY name
            """
        ) { row throws(LedgerError) in
            let account = try row.value(\.account)
            let balance = try row.value(\.integer)
            let high = try row.value(\.integer)
            let low = try row.value(\.integer)
            // The shift drops the bits that do not fit, so the sum wraps, as callers expect.
            try body(account, balance, high << 32 &+ low)
        }
    }

    func missing() throws(LedgerError) -> MissingRows {
        // SQLite enforces foreign keys only on connections that turn them on, so other programs may
        // violate them.
        MissingRows(
            cards: try connection.query(
                """
                SELECT uid FROM operation WHERE NOT EXISTS (
                    SELECT 1 FROM card WHERE card.uid = operation.uid)
                UNION SELECT uid FROM activation WHERE NOT EXISTS (
                    SELECT 1 FROM card WHERE card.uid = activation.uid)
                UNION SELECT uid FROM ticket WHERE NOT EXISTS (
                    SELECT 1 FROM card WHERE card.uid = ticket.uid) ORDER BY uid
                """
            ) { row throws(LedgerError) in try row.value(\.uid) },
            operations: try connection.query(
                """
                SELECT DISTINCT operation FROM entry WHERE NOT EXISTS (
                    SELECT 1 FROM operation WHERE operation.id = entry.operation) ORDER BY operation
                """
            ) { row throws(LedgerError) in try row.value(\.id) })
    }

    func gaps(on uid: CardUID) throws(LedgerError) -> [SequenceGap] {
        try connection.query(
            "SELECT first, last FROM gap WHERE uid = ? ORDER BY position", [.uid(uid)]
        ) { row throws(LedgerError) in
            let first = try row.value(\.number)
            let last = try row.value(\.number)
            guard first <= last else { throw Columns.unreadable }
            return SequenceGap(uid: uid, numbers: first...last)
        }
    }

    func insert(_ gap: SequenceGap) throws(LedgerError) {
        try connection.run(
            "INSERT INTO gap (uid, first, last) VALUES (?, ?, ?)",
            [.uid(gap.uid), .number(gap.numbers.lowerBound), .number(gap.numbers.upperBound)])
    }

    private func entries(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [Entry] {
        try connection.query(
            """
            SELECT operation, account, amount, posted_at FROM entry
            WHERE \(condition) ORDER BY position
            """, values
        ) { row throws(LedgerError) in
            Entry(
                operation: try row.value(\.id), account: try row.value(\.account),
                amount: try row.value(\.units), postedAt: try row.value(\.time))
        }
    }
}
