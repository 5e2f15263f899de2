import Ledger
import LedgerColumns
import TapcardDomain

/// Bookings, records, gaps and retired keys.
extension PostgreSQLRows {
    func entries(of operation: OperationID?) throws(LedgerError) -> [Entry] {
        guard let operation else { return try entries("entry WHERE TRUE", []) }
        return try entries(
            """
            request_id AS request JOIN entry ON entry.uid = request.uid
            WHERE request.id = $1 AND entry.operation = $1
            """, [.id(operation)])
    }

    func append(_ entry: Entry) throws(LedgerError) {
        guard let operation = try operation(entry.operation) else {
            throw LedgerError(.corrupt, "operation \(entry.operation) is not in the ledger")
        }
        let place = try nextPlace(on: operation.uid)
        if case .purse(let uid, _) = entry.account {
            try add(entry.amount, to: entry.account, of: uid)
        } else {
            change(
                """
                INSERT INTO house (account, station, balance) VALUES ($1, $2, $3)
                ON CONFLICT (account, station) DO UPDATE SET balance = house.balance + $3
                """,
                [
                    .text(entry.account.description), .integer(opening.station),
                    .integer(entry.amount),
                ])
        }
        change([entry.insertion(on: operation.uid, at: place, station: opening.station)])
    }

    private func add(
        _ amount: Int64, to account: Account, of uid: CardUID
    ) throws(LedgerError) {
        guard var row = try loaded(uid), row.card.purse == account else {
            formerBalances[account] = try balance(of: account) + amount
            return
        }
        row.balance += amount
        row.isChanged = true
        known.cards[uid] = .some(row)
    }

    func balance(of account: Account) throws(LedgerError) -> Int64 {
        guard case .purse(let uid, let number) = account else {
            return try sum(
                "SELECT coalesce(sum(balance), 0) FROM house WHERE account = $1",
                [.text(account.description)])
        }
        if let row = try loaded(uid), row.card.purse == account { return row.balance }
        if let former = formerBalances[account] { return former }
        return try sum(
            """
            SELECT coalesce(sum(amount), 0) FROM entry
            WHERE (uid = $1 OR purse <> uid) AND purse = $1 AND number = $2
            """, [.uid(uid), .integer(Int64(number))])
    }

    private func sum(_ sql: String, _ values: [SQLValue]) throws(LedgerError) -> Int64 {
        let selection = Selection(sql, values) { row throws(LedgerError) in
            try row.value(\.integer)
        }
        return try query(selection).first ?? 0
    }

    /// The balance of an ended account is stored only as its entries.
    func forEachAccount(
        _ body: (_ account: Account, _ balance: Int64, _ sum: Int64) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        let purses = Selection(
            """
            WITH booked AS (
                SELECT purse, number, sum(amount) AS total FROM entry
                WHERE purse IS NOT NULL GROUP BY purse, number)
            SELECT purse, number, coalesce(card.balance, total), total
            FROM booked LEFT JOIN card ON card.uid = purse AND card.account = number
            UNION ALL SELECT uid, account, balance, 0 FROM card WHERE balance <> 0
                AND NOT EXISTS (SELECT 1 FROM booked WHERE purse = uid AND number = account)
            """
        ) { row throws(LedgerError) in
            let uid = try row.value(\.uid)
            let number = try row.value { $0.integer.flatMap(Int.init(exactly:)) }
            return (
                Account.purse(uid, number), try row.value(\.integer), try row.value(\.integer)
            )
        }
        let house = Selection(
            """
            SELECT account, sum(balance), sum(booked) FROM (
                SELECT account, balance, 0 AS booked FROM house
                UNION ALL SELECT house, 0, amount FROM entry WHERE house IS NOT NULL) AS sides
            GROUP BY account
            """
        ) { row throws(LedgerError) in
            (try row.value(\.account), try row.value(\.integer), try row.value(\.integer))
        }
        for (account, balance, sum) in try query(purses) + query(house) {
            try body(account, balance, sum)
        }
    }

    /// The tables refer to each other, so the server lets no row go missing.
    func missing() throws(LedgerError) -> MissingRows { MissingRows(cards: [], operations: []) }

    private func entries(
        _ condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [Entry] {
        let selection = Selection(
            """
            SELECT entry.operation, purse, number, house, amount, posted_at
            FROM \(condition) ORDER BY entry.place, entry.operation
            """, values
        ) { row throws(LedgerError) in
            let id = try row.value(\.id)
            let purse = try row.optional(\.uid)
            let number = try row.optional { $0.integer.flatMap(Int.init(exactly:)) }
            let house = try row.optional(\.account)
            let account: Account
            switch (purse, number, house) {
            case (let uid?, let number?, nil): account = .purse(uid, number)
            case (nil, nil, let house?): account = house
            default: throw Columns.unreadable
            }
            return Entry(
                operation: id, account: account, amount: try row.value(\.integer),
                postedAt: try row.value(\.time))
        }
        return try query(selection)
    }
}

extension Entry {
    func insertion(on uid: CardUID, at place: Int64, station: Int64) -> SQLStatement {
        var (purse, number, house) = (SQLValue.null, SQLValue.null, SQLValue.null)
        if case .purse(let owner, let count) = account {
            (purse, number) = (.uid(owner), .integer(Int64(count)))
        } else {
            house = .text(account.description)
        }
        return SQLStatement(
            """
            INSERT INTO entry (uid, operation, place, purse, number, house, station, amount,
                posted_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .uid(uid), .id(operation), .integer(place), purse, number, house,
                .integer(station), .integer(amount), .time(postedAt),
            ])
    }
}

extension IssuedRecord {
    /// Fails where the key was retired, even after the transaction looked.
    var insertion: SQLStatement {
        SQLStatement(
            counting:
                """
                INSERT INTO issued_record (\(IssuedRecord.columns))
                SELECT $1, $2, $3, $4, $5::smallint
                WHERE NOT EXISTS (SELECT 1 FROM retired_key WHERE id = $5::smallint)
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
    var insertion: SQLStatement {
        SQLStatement(
            """
            INSERT INTO retired_key (id, retired_at, place)
            VALUES ($1, $2, (SELECT coalesce(max(place), 0) FROM operation))
            """, [.integer(Int64(id)), .time(retiredAt)])
    }
}

extension PostgreSQLRows {
    func issued(
        _ uid: CardUID, _ sequence: SequenceNumber
    ) throws(LedgerError) -> IssuedRecord? {
        if let record = known.records[uid]?[sequence] { return record }
        return try row(
            where: "uid = $1 AND sequence = $2", [.uid(uid), .number(sequence)]
        )
    }

    func issued(as bytes: [UInt8]) throws(LedgerError) -> IssuedRecord? {
        try row(where: "bytes = $1", [.blob(bytes)])
    }

    func issuedRecords(on uid: CardUID) throws(LedgerError) -> [IssuedRecord] {
        try rows(where: "uid = $1 ORDER BY sequence", [.uid(uid)])
    }

    func insert(_ record: IssuedRecord) throws(LedgerError) {
        known.records[record.uid, default: [:]][record.sequence] = record
        try touch(record.uid)
        change([record.insertion])
    }

    func recordsMadeTooLate() throws(LedgerError) -> [IssuedRecord] {
        try rows(
            where: """
                EXISTS (
                    SELECT 1 FROM retired_key JOIN operation ON operation.place > retired_key.place
                    WHERE retired_key.id = key_id AND operation.uid = issued_record.uid
                        AND operation.id = issued_record.operation)
                """)
    }

    func retiredKeys() throws(LedgerError) -> [RetiredKey] {
        if let keys = known.keys { return keys }
        let keys = try query(keySelection)
        known.keys = keys
        return keys
    }

    var keySelection: Selection<RetiredKey> {
        Selection("SELECT id, retired_at FROM retired_key ORDER BY id") {
            row throws(LedgerError) in
            RetiredKey(id: try row.value(\.keyID), retiredAt: try row.value(\.time))
        }
    }

    /// Waits until every record under way is in the ledger; those that follow see the key retired.
    func insert(_ key: RetiredKey) throws(LedgerError) {
        change("LOCK TABLE issued_record IN SHARE ROW EXCLUSIVE MODE", [])
        change([key.insertion])
        known.keys = nil
    }

    func gaps(on uid: CardUID) throws(LedgerError) -> [SequenceGap] {
        let stored: [SequenceGap]
        if let gaps = known.gaps[uid] {
            stored = gaps
        } else {
            stored = try query(gapSelection(where: "uid = $1", [.uid(uid)]))
        }
        guard let skipped = try loaded(uid)?.skipped else { return stored }
        return stored + [skipped]
    }

    func gapSelection(where condition: String, _ values: [SQLValue]) -> Selection<SequenceGap> {
        Selection("SELECT uid, first, last FROM gap WHERE \(condition) ORDER BY uid, place", values)
        {
            row throws(LedgerError) in
            let uid = try row.value(\.uid)
            let first = try row.value(\.number)
            let last = try row.value(\.number)
            guard first <= last else { throw Columns.unreadable }
            return SequenceGap(uid: uid, numbers: first...last)
        }
    }

    func insert(_ gap: SequenceGap) throws(LedgerError) {
        known.gaps[gap.uid]?.append(gap)
        change([gap.insertion(at: try nextPlace(on: gap.uid))])
    }
}
