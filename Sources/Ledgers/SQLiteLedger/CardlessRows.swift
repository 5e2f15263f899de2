import Ledger
import TapcardDomain

extension SQLiteRows {
    func cardless(_ id: OperationID) throws(LedgerError) -> CardlessOperation? {
        try cardless(where: "id = ?", [.id(id)]).first
    }

    func cardless(undoing id: OperationID) throws(LedgerError) -> CardlessOperation? {
        try cardless(where: "reverses = ?", [.id(id)]).first
    }

    func cardless(
        since start: Timestamp, until end: Timestamp, after last: CardlessOperation?,
        atMost count: Int
    ) throws(LedgerError) -> [CardlessOperation] {
        try cardless(
            where: "(at, id) > (?, ?) AND at < ? ORDER BY at, id LIMIT ?",
            [
                .time(last?.at ?? start), last.map { .id($0.id) } ?? .text(""), .time(end),
                .count(count),
            ])
    }

    func insert(_ operation: CardlessOperation) throws(LedgerError) {
        for posting in operation.postings { try add(posting.amount, to: posting.account) }
        try connection.run(
            """
            INSERT INTO cardless (\(CardlessOperation.columns), shift)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \(SQLiteRows.openShift))
            """, operation.values)
    }

    /// The SQL expression for the ID of the open shift, which is NULL if no shift is open.
    static let openShift = "(SELECT id FROM shift WHERE closed_at IS NULL)"

    /// The changes without a card that meet a condition. The condition may end with ORDER BY and
    /// LIMIT.
    func cardless(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [CardlessOperation] {
        try connection.query(
            "SELECT \(CardlessOperation.columns), shift, NULL FROM cardless WHERE \(condition)",
            values
        ) { row throws(LedgerError) in try CardlessOperation(&row) }
    }
}
