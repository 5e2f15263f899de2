import Ledger
import TapcardDomain

extension CardlessOperation: TableRow {
    static let table = "cardless"
    static let qualifiedColumns =
        (columnNames + ["shift"]).map { "cardless.\($0)" }.joined(separator: ", ")
        + ", (SELECT login FROM station WHERE station.id = cardless.station)"
}

extension PostgreSQLRows {
    func cardless(_ id: OperationID) throws(LedgerError) -> CardlessOperation? {
        if let operation = known.cardless[id] { return operation }
        guard !usesKnownRowsOnly else {
            // The batch of changes checks that the ID is new: inserting an existing ID is refused.
            assumedNew.insert(id)
            return nil
        }
        let operation: CardlessOperation? = try row(where: "id = $1", [.id(id)])
        known.cardless[id] = .some(operation)
        return operation
    }

    func cardless(undoing id: OperationID) throws(LedgerError) -> CardlessOperation? {
        try row(where: "reverses = $1", [.id(id)])
    }

    func cardless(
        since start: Timestamp, until end: Timestamp, after last: CardlessOperation?,
        atMost count: Int
    ) throws(LedgerError) -> [CardlessOperation] {
        try rows(
            where: "(at, id) > ($1, $2) AND at < $3 ORDER BY at, id LIMIT $4",
            [
                .time(last?.at ?? start), .id(last?.id ?? .lowest), .time(end), .count(count),
            ])
    }

    func insert(_ operation: CardlessOperation) {
        for posting in operation.postings { add(posting.amount, toIssuer: posting.account) }
        change(operation.insertion(at: opening.station))
        inserted.insert(operation.id)
        known.cardless[operation.id] = .some(operation)
    }

    /// The SQL expression for the ID of the shift that is open at a station, or NULL. It locks the
    /// shift, so that no other transaction can close it before this one ends. `station` is an SQL
    /// expression for the station's number.
    static func openShift(_ station: String) -> String {
        "(SELECT id FROM shift WHERE station = \(station) AND closed_at IS NULL FOR SHARE)"
    }
}

extension CardlessOperation {
    /// The statements that insert a new change and reserve its ID. If the change has no shift, it
    /// gets the one that is open at the station.
    func insertion(at station: Int64) -> [SQLStatement] {
        [
            SQLStatement(
                "INSERT INTO request_id (id, uid, is_attempt) VALUES ($1, 0, FALSE)", [.id(id)]),
            SQLStatement(
                """
                INSERT INTO cardless (\(CardlessOperation.columns), station, shift)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                    coalesce($15, \(PostgreSQLRows.openShift("$14"))))
                """, values + [.integer(station), .optional(shift, SQLValue.id)]),
        ]
    }
}
