import Ledger
import TapcardDomain

/// Tickets and activation attempts.
extension PostgreSQLRows {
    func ticket(_ id: TicketID) throws(LedgerError) -> SoldTicket? {
        try row(
            from: "ticket_name AS name JOIN ticket USING (uid, id)", where: "name.id = $1",
            [.text(id.text)]
        )
    }

    func ticket(of operation: OperationID) throws(LedgerError) -> SoldTicket? {
        if let ticket = known.ticketsOfOperations[operation] { return ticket }
        if let page = cardRowsPage, page.byID[operation] != nil {
            return page.ticketsByOperation[operation]
        }
        let ticket: SoldTicket? = try row(
            from: "ticket_name AS name JOIN ticket USING (uid, id)", where: "name.operation = $1",
            [.id(operation)]
        )
        known.ticketsOfOperations[operation] = .some(ticket)
        return ticket
    }

    func tickets(on uid: CardUID?) throws(LedgerError) -> [SoldTicket] {
        guard let uid else { return try rows(where: "TRUE ORDER BY place, id") }
        if let page = cardRowsPage, page.contains(uid) { return page.tickets[uid] ?? [] }
        return try rows(where: "uid = $1 ORDER BY place", [.uid(uid)])
    }

    func insert(_ sold: SoldTicket) throws(LedgerError) {
        known.ticketsOfOperations[sold.operation] = .some(sold)
        change(sold.insertion(at: try nextPlace(on: sold.card)))
    }
}

extension SoldTicket {
    func insertion(at place: Int64) -> [SQLStatement] {
        [
            SQLStatement(
                """
                INSERT INTO ticket (\(SoldTicket.columns), place)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """, values + [.integer(place)]),
            SQLStatement(
                "INSERT INTO ticket_name (id, uid, operation) VALUES ($1, $2, $3)",
                [.text(ticket.id.text), .uid(card), .id(operation)]),
        ]
    }
}

extension ActivationAttempt {
    /// The rows for a new attempt, which reserves its ID for the activation.
    func insertion(at place: Int64) -> [SQLStatement] {
        [
            SQLStatement(
                "INSERT INTO request_id (id, uid, is_attempt) VALUES ($1, $2, TRUE)",
                [.id(id), .uid(card)]),
            SQLStatement(
                """
                INSERT INTO activation (\(ActivationAttempt.columns), place)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                """, values + [.integer(place)]),
        ]
    }
}

extension PostgreSQLRows {
    func activation(_ id: OperationID) throws(LedgerError) -> ActivationAttempt? {
        if let attempt = known.attempts[id] { return attempt }
        if let attempt = cardRowsPage?.attemptsByID[id] { return attempt }
        // The batch of changes checks that the ID is new: inserting an existing ID is refused.
        guard !usesKnownRowsOnly else {
            assumedNew.insert(id)
            return nil
        }
        return try row(where: "id = $1", [.id(id)])
    }

    func activation(of code: ScratchCode) throws(LedgerError) -> ActivationAttempt? {
        if let attempt = known.attemptsForCodes[code] { return attempt }
        return try row(where: "code = $1 AND state <> 'rejected'", [.id(code)])
    }

    func activations(
        on uid: CardUID?, or code: ScratchCode?, after id: OperationID?, atMost count: Int
    ) throws(LedgerError) -> [ActivationAttempt] {
        // The page has only its own cards' attempts, not those for a code on other cards.
        if let uid, code == nil, let page = cardRowsPage, page.contains(uid) {
            return (page.attempts[uid] ?? []).page(
                after: id.map { id in { $0.id == id } }, atMost: count)
        }
        var values: [SQLValue] = [
            .optional(id, SQLValue.id), .id(id ?? .lowest), .count(count),
        ]
        let condition = PostgreSQLRows.condition(on: uid, or: code, &values)
        // Two stations may assign the same place, so the ID breaks the tie.
        return try rows(
            where: """
                (place, id) > (coalesce((SELECT place FROM activation WHERE id = $1), 0), $2)
                AND \(condition) ORDER BY place, id LIMIT $3
                """, values)
    }

    func activations(
        on uid: CardUID?, or code: ScratchCode?, since start: Timestamp
    ) throws(LedgerError) -> [ActivationAttempt] {
        var values: [SQLValue] = [.time(start)]
        let condition = PostgreSQLRows.condition(on: uid, or: code, &values)
        return try rows(
            where: "requested_at >= $1 AND \(condition) ORDER BY place, id", values)
    }

    private static func condition(
        on uid: CardUID?, or code: ScratchCode?, _ values: inout [SQLValue]
    ) -> String {
        guard let uid else { return "TRUE" }
        values.append(.uid(uid))
        guard let code else { return "uid = $\(values.count)" }
        values.append(.id(code))
        return "(uid = $\(values.count - 1) OR code = $\(values.count))"
    }

    func insert(_ attempt: ActivationAttempt) throws(LedgerError) {
        note(attempt)
        inserted.insert(attempt.id)
        change(attempt.insertion(at: try nextPlace(on: attempt.card)))
    }

    /// Fails if the attempt already has a response or does not exist.
    func update(_ attempt: ActivationAttempt) throws(LedgerError) {
        note(attempt)
        try touch(attempt.card)
        change(
            counting:
                """
                UPDATE activation SET state = $2, answered_at = $3, version = $4
                WHERE id = $1 AND state = 'requested'
                """,
            [
                .id(attempt.id), .text(attempt.state.rawValue),
                .optional(attempt.answeredAt, SQLValue.time),
                .optional(attempt.version, SQLValue.text),
            ])
    }

    private func note(_ attempt: ActivationAttempt) {
        known.attempts[attempt.id] = .some(attempt)
        // Whether the attempt still counts for its code depends on its new state, so the code's
        // attempt is read again when needed.
        known.attemptsForCodes[attempt.code] = nil
    }
}
