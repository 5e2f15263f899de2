import Ledger
import TapcardDomain

extension PostgreSQLRows {
    func operation(_ id: OperationID) throws(LedgerError) -> Operation? {
        if let operation = known.operations[id] {
            if let operation { seenCards.insert(operation.uid) }
            return operation
        }
        if let operation = cardRowsPage?.byID[id] { return operation }
        guard !usesKnownRowsOnly else {
            // The batch of changes checks that the ID is new: inserting an existing ID is refused.
            assumedNew.insert(id)
            return nil
        }
        let operation: Operation? = try row(
            from: "request_id AS request JOIN operation ON operation.uid = request.uid",
            where: "request.id = $1 AND operation.id = $1", [.id(id)]
        )
        known.operations[id] = .some(operation)
        return operation
    }

    func openOperation(on uid: CardUID) throws(LedgerError) -> Operation? {
        // The result is valid only for this version of the card, which the batch may have to check.
        seenCards.insert(uid)
        if let open = known.openOperations[uid] {
            return try open.flatMap { id throws(LedgerError) in try operation(id) }
        }
        let open: Operation? = try row(where: "uid = $1 AND state = 'pending'", [.uid(uid)])
        known.openOperations[uid] = .some(open?.id)
        if let open { known.operations[open.id] = open }
        return open
    }

    func refund(of id: OperationID) throws(LedgerError) -> Operation? {
        try operation(namedIn: "reversal", where: "id", .id(id))
    }

    func claim(of id: TicketID) throws(LedgerError) -> Operation? {
        try operation(namedIn: "prize", where: "ticket", .text(id.text))
    }

    /// The operation listed in a table of things that can be done only once in the whole ledger.
    private func operation(
        namedIn table: String, where column: String, _ value: SQLValue
    ) throws(LedgerError) -> Operation? {
        try row(
            from: """
                \(table) AS once JOIN operation
                    ON operation.uid = once.uid AND operation.id = once.operation
                """, where: "once.\(column) = $1", [value]
        )
    }

    func operations(
        on uid: CardUID?, after id: OperationID?, atMost count: Int
    ) throws(LedgerError) -> [Operation] {
        if let uid, let page = try cardRowsPage(of: uid) {
            return (page.operations[uid] ?? []).page(
                after: id.map { id in { $0.id == id } }, atMost: count)
        }
        // No operation has a place below 1, so all operations come after 0.
        let place = SQLValue.integer(try id.flatMap(place(of:)) ?? 0)
        guard let uid else {
            return try rows(
                // Two stations may assign the same place, so the ID breaks the tie.
                where: "(place, id) > ($1, $2) ORDER BY place, id LIMIT $3",
                [place, .id(id ?? .lowest), .count(count)])
        }
        return try rows(
            where: "uid = $1 AND place > $2 ORDER BY place LIMIT $3",
            [.uid(uid), place, .count(count)])
    }

    func operations(on uid: CardUID?, last count: Int) throws(LedgerError) -> [Operation] {
        let newestFirst: [Operation] =
            if let uid {
                try rows(
                    where: "uid = $1 ORDER BY place DESC LIMIT $2", [.uid(uid), .count(count)])
            } else {
                try rows(
                    where: "TRUE ORDER BY place DESC, id DESC LIMIT $1", [.count(count)])
            }
        return newestFirst.reversed()
    }

    func operations(
        begunSince start: Timestamp, until end: Timestamp, after last: Operation?,
        atMost count: Int
    ) throws(LedgerError) -> [Operation] {
        try rows(
            where: PostgreSQLRows.begunInSpan,
            span(from: start, to: end, after: last, atMost: count))
    }

    func bookings(
        begunSince start: Timestamp, until end: Timestamp, after last: Operation?,
        atMost count: Int
    ) throws(LedgerError) -> [Booking] {
        let entries =
            "FROM entry WHERE entry.uid = operation.uid AND entry.operation = operation.id"
        return try query(
            Selection(
                """
                SELECT \(Operation.qualifiedColumns),
                    (SELECT holder_name FROM card WHERE card.uid = operation.uid),
                    (SELECT string_agg(
                        concat_ws(' ', coalesce(house, concat(
                            'purse:', upper(lpad(to_hex(purse), 14, '0')), ':', number)),
                            amount, posted_at, shift), chr(10) ORDER BY entry.place) \(entries)),
                    (SELECT login FROM station WHERE station.id = (
                        SELECT max(entry.station) \(entries)))
                FROM operation WHERE \(PostgreSQLRows.begunInSpan)
                """, try span(from: start, to: end, after: last, atMost: count), of: "operation"
            ) { row throws(LedgerError) in try Booking(&row) })
    }

    func lastUses(
        after first: CardUID?, through last: CardUID
    ) throws(LedgerError) -> [CardUID: Timestamp] {
        let uses = try query(
            Selection(
                """
                SELECT uid, max(begun_at) FROM operation
                WHERE uid > $1 AND uid <= $2 AND kind NOT IN ('block', 'unblock', 'forget')
                GROUP BY uid
                """, [first.map(SQLValue.uid) ?? .integer(-1), .uid(last)]
            ) { row throws(LedgerError) in (try row.value(\.uid), try row.value(\.time)) })
        return Dictionary(uses, uniquingKeysWith: { $1 })
    }

    private static let begunInSpan = """
        begun_at >= $1 AND begun_at < $2 AND (begun_at, operation.place, operation.id) > ($1, $3, $4)
        ORDER BY begun_at, operation.place, operation.id LIMIT $5
        """

    private func span(
        from start: Timestamp, to end: Timestamp, after last: Operation?, atMost count: Int
    ) throws(LedgerError) -> [SQLValue] {
        let place =
            try last.flatMap { last throws(LedgerError) in try self.place(of: last.id) } ?? 0
        return [
            .time(last?.beganAt ?? start), .time(end), .integer(place), .id(last?.id ?? .lowest),
            .count(count),
        ]
    }

    func place(of id: OperationID) throws(LedgerError) -> Int64? {
        if let place = cardRowsPage?.places[id] { return place }
        return try query(
            Selection(
                """
                SELECT operation.place
                FROM request_id AS request JOIN operation ON operation.uid = request.uid
                WHERE request.id = $1 AND operation.id = $1
                """, [.id(id)]
            ) { row throws(LedgerError) in try row.value(\.integer) }
        ).first
    }

    func replacements(on uid: CardUID) throws(LedgerError) -> [Operation] {
        if let page = cardRowsPage, page.contains(uid) {
            return (page.operations[uid] ?? []).filter { $0.kind == .replace }
        }
        return try rows(where: "uid = $1 AND kind = 'replace' ORDER BY place", [.uid(uid)])
    }

    func replacements(of uid: CardUID) throws(LedgerError) -> [Operation] {
        if let page = cardRowsPage, page.contains(uid) { return page.replacements[uid] ?? [] }
        return try rows(
            where: """
                kind = 'replace' AND (uid, id) IN (
                    SELECT uid, operation FROM entry WHERE purse = $1 AND purse <> uid)
                ORDER BY place
                """, [.uid(uid)])
    }

    func insert(_ operation: Operation) throws(LedgerError) {
        let place = try nextPlace(on: operation.uid)
        inserted.insert(operation.id)
        changedOperations.append(operation)
        known.operations[operation.id] = .some(operation)
        // A new operation has no ticket until one is inserted.
        known.ticketsOfOperations[operation.id] = .some(nil)
        if operation.state == .pending { known.openOperations[operation.uid] = .some(operation.id) }
        unsent.append((operation, isNew: true, place))
        // Verified at the end, because the purchase may be on another card, which is not locked.
        guard operation.kind.recordsPrize, let ticket = operation.ticketID else { return }
        require(
            """
            ticket_name AS name JOIN operation
                ON operation.uid = name.uid AND operation.id = name.operation
            WHERE name.id = $1 AND operation.kind = 'ticket' AND operation.state = 'committed'
            """, [.text(ticket.text)])
    }

    func update(_ operation: Operation) throws(LedgerError) {
        changedOperations.append(operation)
        known.operations[operation.id] = .some(operation)
        known.openOperations[operation.uid] = .some(
            operation.state == .pending ? operation.id : nil)
        // An operation that the server does not have yet is sent only once, in its last state.
        if let row = unsent.firstIndex(where: { $0.operation.id == operation.id }) {
            unsent[row].operation = operation
        } else {
            unsent.append((operation, isNew: false, place: 0))
        }
        try touch(operation.uid)
    }

    func forgetNameInParameters(of uid: CardUID) throws(LedgerError) {
        change(
            """
            UPDATE operation SET parameters =
                substr(parameters, 1, strpos(parameters, chr(10) || 'name=')) || 'name'
            WHERE uid = $1 AND strpos(parameters, chr(10) || 'name=') > 0
            """, [.uid(uid)])
        // The operations in memory still have the name, so they are read again when needed.
        known.operations = [:]
        try touch(uid)
    }
}

extension Operation {
    /// The rows for a new operation: the operation itself, its ID, and a row for what can be done
    /// only once, such as a refund or a claim.
    func insertion(at place: Int64) -> [SQLStatement] {
        let usesID =
            kind == .activate
            ? ""
            : """
            WITH used AS (
                INSERT INTO request_id (id, uid, is_attempt) VALUES ($1, $2, FALSE)
                \(Operation.conflictClause))
            """
        var statements = [
            SQLStatement(
                """
                \(usesID) INSERT INTO operation (\(Operation.columns), place)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                    $17, $18)
                """, values + [.integer(place)])
        ]
        // An attempt's ID is reserved for the activation that the attempt leads to.
        if kind == .activate {
            statements.append(
                SQLStatement(
                    counting:
                        """
                        INSERT INTO request_id (id, uid, is_attempt) VALUES ($1, $2, FALSE)
                        ON CONFLICT (id) DO UPDATE SET uid = $2, is_attempt = FALSE
                        WHERE request_id.is_attempt
                        """, [.id(id), .uid(uid)]))
        }
        if let reverses {
            statements.append(
                SQLStatement(
                    "INSERT INTO reversal (id, uid, operation) VALUES ($1, $2, $3)",
                    [.id(reverses), .uid(uid), .id(id)]))
        }
        if kind.recordsPrize, let ticketID {
            statements.append(
                SQLStatement(
                    "INSERT INTO prize (ticket, uid, operation) VALUES ($1, $2, $3)",
                    [.text(ticketID.text), .uid(uid), .id(id)]))
        }
        return statements
    }

    /// The clause is empty, so that the insertion fails if the ID already exists.
    private static var conflictClause: String {
        SafetyRule.idsAreUnique.isDisabled ? "ON CONFLICT DO NOTHING" : ""
    }

    /// A statement that fails if the operation has ended or does not exist.
    var update: SQLStatement {
        SQLStatement(
            counting:
                """
                UPDATE operation SET state = $3, sequence = $4, ended_at = $5, balance_after = $6
                WHERE uid = $1 AND id = $2 AND state = 'pending'
                """,
            [
                .uid(uid), .id(id), .text(state.rawValue), .number(sequence),
                .optional(endedAt, SQLValue.time), .optional(balanceAfter, SQLValue.integer),
            ])
    }
}

extension UniqueID {
    /// The lowest possible ID.
    static let lowest = unsafe UniqueID(bytes: [UInt8](repeating: 0, count: 16)).unsafelyUnwrapped
}
