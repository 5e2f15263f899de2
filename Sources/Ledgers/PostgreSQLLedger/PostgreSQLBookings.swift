import Ledger
import TapcardDomain

/// Bookings, and the balances that they add up to.
extension PostgreSQLRows {
    func entries(of operation: OperationID?) throws(LedgerError) -> [Entry] {
        guard let operation else { return try query(entrySelection("entry WHERE TRUE", [])) }
        if let page = cardRowsPage, page.byID[operation] != nil {
            return page.entries[operation] ?? []
        }
        // The table `request_id` shows which card, and therefore which partition, the entries
        // belong to.
        return try query(
            entrySelection(
                """
                request_id AS request JOIN entry ON entry.uid = request.uid
                WHERE request.id = $1 AND entry.operation = $1
                """, [.id(operation)]))
    }

    func append(_ entry: Entry) throws(LedgerError) {
        guard let operation = try operation(entry.operation) else {
            throw LedgerError(.corrupt, "operation \(entry.operation) is missing from the ledger")
        }
        let place = try nextPlace(on: operation.uid)
        // Each station has its own rows in the issuer's accounts, so that no station waits for
        // another.
        if case .purse(let uid, _) = entry.account {
            try add(entry.amount, to: entry.account, of: uid)
        } else {
            add(entry.amount, toIssuer: entry.account)
        }
        unsentEntries.append((entry, operation.uid, place))
        noteChange()
    }

    func add(_ amount: Int64, toIssuer account: Account) {
        change(
            """
            INSERT INTO house (account, station, balance, part)
            VALUES ($1, $2, $3, \(PostgreSQLRows.freePart))
            ON CONFLICT (account, station, part) DO UPDATE SET balance = house.balance + $3
            """,
            [.text(account.description), .integer(opening.issuerStation), .integer(amount)])
    }

    /// The part of an issuer's account that a transaction adds to: the first one that no other
    /// transaction holds, or a new one.
    ///
    /// A transaction holds its part until its commit is on the disk and the replica, so
    /// simultaneous transactions use different parts, even if several processes share the login.
    private static var freePart: String {
        if SafetyRule.issuerRowsOfStations.isDisabled { return "0" }
        return """
            coalesce((
                SELECT part FROM house WHERE account = $1 AND station = $2
                ORDER BY part LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED), pg_backend_pid())
            """
    }

    private func add(
        _ amount: Int64, to account: Account, of uid: CardUID
    ) throws(LedgerError) {
        guard var row = try cardRow(uid), row.card.purse == account else {
            // A reissue ended this account in this transaction, and the card's row has the new
            // account.
            formerBalances[account] = try balance(of: account) &+ amount
            return
        }
        row.balance += amount
        row.isChanged = true
        known.cards[uid] = .some(row)
    }

    func balance(of account: Account) throws(LedgerError) -> Int64 {
        guard case .purse(let uid, let number) = account else {
            return try sum(
                "SELECT \(PostgreSQLRows.sum(of: "balance")) FROM house WHERE account = $1",
                [.text(account.description)])
        }
        if let row = try cardRow(uid), row.card.purse == account { return row.balance }
        if let former = formerBalances[account] { return former }
        // The card's own entries are in its partition, and an index finds those on other cards.
        return try sum(
            """
            SELECT \(PostgreSQLRows.sum(of: "amount")) FROM entry
            WHERE (uid = $1 OR purse <> uid) AND purse = $1 AND number = $2
            """, [.uid(uid), .integer(Int64(number))])
    }

    /// A sum that fits into 64 bits. Rows written by another program may add up to more; such a sum
    /// is wrong anyway, so it is clamped to the 64-bit range.
    private static func sum(of column: String) -> String {
        "greatest(least(coalesce(sum(\(column)), 0), \(Int64.max)), \(Int64.min))"
    }

    private func sum(_ sql: String, _ values: [SQLValue]) throws(LedgerError) -> Int64 {
        let selection = Selection(sql, values) { row throws(LedgerError) in
            try row.value(\.integer)
        }
        return try query(selection).first ?? 0
    }

    /// Reads the accounts page by page, because those of a large ledger do not fit in memory. An
    /// account that a reissue ended has no stored balance, only entries.
    func forEachAccount(
        _ body: (_ account: Account, _ balance: Int64, _ sum: Int64) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        // No UID is negative, so all cards come after -1.
        var last: Int64 = -1
        while true {
            let page = try query(pursesOfCards(after: last))
            for (account, balance, sum) in page.compactMap(\.purse) {
                try body(account, balance, sum)
            }
            guard let end = page.last?.card else { break }
            last = end
        }
        for (account, balance, sum) in try query(strayPurses) + query(issuerAccounts) {
            try body(account, balance, sum)
        }
    }

    private typealias Balance = (account: Account, balance: Int64, sum: Int64)

    /// A card, and one of its purses. Operations on other cards may also have booked money on it.
    private func pursesOfCards(
        after uid: Int64
    ) -> Selection<(card: Int64, purse: Balance?)> {
        // The last part finds balances without any entry, which the audit has to report.
        Selection(
            """
            WITH page AS (
                SELECT uid, account, balance FROM card WHERE uid > $1 ORDER BY uid LIMIT $2),
            booked AS (
                SELECT purse, number, sum(amount) AS total FROM (
                    SELECT purse, number, amount FROM entry
                    WHERE uid IN (SELECT uid FROM page) AND purse = uid
                    UNION ALL SELECT purse, number, amount FROM entry
                    WHERE purse IN (SELECT uid FROM page) AND purse <> uid) AS own
                GROUP BY purse, number)
            SELECT uid, number, CASE WHEN number = account THEN balance ELSE total END, total
            FROM page LEFT JOIN booked ON purse = uid
            UNION ALL SELECT uid, account, balance, 0 FROM page
                WHERE balance <> 0
                    AND NOT EXISTS (SELECT 1 FROM booked WHERE purse = uid AND number = account)
            ORDER BY 1, 2
            """, [.integer(uid), .count(Pages<LedgerCard>.rowsPerPage)]
        ) { row throws(LedgerError) in
            let uid = try row.value(\.uid)
            guard let number = try row.optional({ $0.integer.flatMap(Int.init(exactly:)) }) else {
                return (uid.number, nil)
            }
            return (
                uid.number,
                (.purse(uid, number), try row.value(\.integer), try row.value(\.integer))
            )
        }
    }

    /// The purses of cards that are not in the ledger. There should be none.
    private var strayPurses: Selection<Balance> {
        // Such a purse has no stored balance, so the sum stands for both.
        Selection(
            """
            SELECT purse, number, sum(amount), sum(amount) FROM entry
            WHERE purse <> uid AND NOT EXISTS (SELECT 1 FROM card WHERE card.uid = purse)
            GROUP BY purse, number
            """
        ) { row throws(LedgerError) in
            let uid = try row.value(\.uid)
            let number = try row.value { $0.integer.flatMap(Int.init(exactly:)) }
            return (.purse(uid, number), try row.value(\.integer), try row.value(\.integer))
        }
    }

    private var issuerAccounts: Selection<Balance> {
        Selection(
            """
            SELECT account, \(PostgreSQLRows.sum(of: "balance")),
                \(PostgreSQLRows.sum(of: "booked"))
            FROM (
                SELECT account, balance, 0 AS booked FROM house
                UNION ALL SELECT house, 0, amount FROM entry WHERE house IS NOT NULL
                UNION ALL SELECT account, 0, amount FROM cardless_entry) AS sides
            GROUP BY account
            """
        ) { row throws(LedgerError) in
            (try row.value(\.account), try row.value(\.integer), try row.value(\.integer))
        }
    }

    /// None, because foreign keys prevent such rows from going missing.
    func missing() throws(LedgerError) -> MissingRows { MissingRows(cards: [], operations: []) }

    func entrySelection(_ condition: String, _ values: [SQLValue]) -> Selection<Entry> {
        Selection(
            """
            SELECT entry.operation, purse, number, house, amount, posted_at, shift
            FROM \(condition) ORDER BY entry.place, entry.operation
            """, values, of: "entry"
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
                postedAt: try row.value(\.time), shift: try row.optional(\.id))
        }
    }
}

extension Entry {
    /// A single statement that inserts all of these entries; an empty array if there are none.
    static func insertion(
        of rows: [(entry: Entry, uid: CardUID, place: Int64)], station: Int64
    ) -> [SQLStatement] {
        guard !rows.isEmpty else { return [] }
        // The first parameter is the station.
        let lists = rows.indices.map { row in
            let places = (2...10).map { "$\(row * 9 + $0)" }
            let shift = "coalesce(\(places[8]), \(PostgreSQLRows.openShift("$1")))"
            return "(\((places.dropLast() + ["$1", shift]).joined(separator: ", ")))"
        }
        return [
            SQLStatement(
                """
                INSERT INTO entry (uid, operation, place, purse, number, house, amount, posted_at,
                    station, shift)
                VALUES \(lists.joined(separator: ", "))
                """,
                [.integer(station)]
                    + rows.flatMap { $0.entry.values(on: $0.uid, at: $0.place) })
        ]
    }

    private func values(on uid: CardUID, at place: Int64) -> [SQLValue] {
        var (purse, number, house) = (SQLValue.null, SQLValue.null, SQLValue.null)
        if case .purse(let owner, let count) = account {
            (purse, number) = (.uid(owner), .integer(Int64(count)))
        } else {
            house = .text(account.description)
        }
        return [
            .uid(uid), .id(operation), .integer(place), purse, number, house, .integer(amount),
            .time(postedAt), .optional(shift, SQLValue.id),
        ]
    }
}
