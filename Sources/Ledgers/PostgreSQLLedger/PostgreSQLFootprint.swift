import Ledger
import TapcardDomain

/// Loads the rows of a footprint in one round trip.
extension PostgreSQLRows {
    /// A query in the batch, and the code that stores its rows.
    private struct Load {
        let statement: SQLStatement
        let note: (SQLAnswer) throws(LedgerError) -> Void

        init<Row>(_ selection: Selection<Row>, _ note: @escaping ([Row]) -> Void) {
            statement = selection.statement
            self.note = { answer throws(LedgerError) in note(try selection.rows(of: answer)) }
        }
    }

    /// Reads the rows that the body is expected to need; cards are locked if the body writes. With
    /// `endsTransaction`, the transaction ends with this batch, and the body sees no other rows.
    ///
    /// Each query specifies the cards, so that the server reads only their partitions: planning a
    /// query over all partitions takes longer than the payment. A row in another partition, such as
    /// an operation on another card, remains unknown and is read separately.
    func load(_ footprint: Footprint, endsTransaction: Bool = false) throws(LedgerError) {
        let loads =
            (footprint.cards.isEmpty ? [] : loadsOfCards(footprint))
            + (footprint.ids.isEmpty ? [] : [loadOfIDs(footprint)])
        // The cards are locked before anything is read, because a query that waits for a lock
        // returns the current card together with outdated rows of other tables.
        let locks =
            isWriting && !footprint.cards.isEmpty
            ? [
                SQLStatement(
                    """
                    SELECT 1 FROM card WHERE uid \(SQLStatement.among(footprint.cards.count))
                    ORDER BY uid\(lock)
                    """, footprint.cards.map(SQLValue.uid))
            ] : []
        let answers = try run(locks + loads.map(\.statement), endsTransaction: endsTransaction)
        guard answers.count >= locks.count + loads.count else { throw Columns.unreadable }
        usesKnownRowsOnly = endsTransaction
        markAsMissing(of: footprint)
        for (load, answer) in zip(loads, answers.dropFirst(locks.count)) { try load.note(answer) }
    }

    private func loadsOfCards(_ footprint: Footprint) -> [Load] {
        let uids = footprint.cards.map(SQLValue.uid)
        // The footprint's record numbers belong to its first card.
        let records = Selection<IssuedRecord>(
            where: """
                uid = $1 AND sequence = ANY($2::integer[] || ARRAY(
                    SELECT unnest(ARRAY[confirmed, allocated]) FROM card WHERE uid = $1))
                """, [uids[0], .list(footprint.records.map { String($0.value) })])
        return [
            Load(cardsWithOtherRows(uids)) { cards in for card in cards { self.note(card) } },
            Load(operations(on: uids, footprint.ids)) { rows in
                for (operation, ticket) in rows {
                    self.known.operations[operation.id] = operation
                    self.known.ticketsOfOperations[operation.id] = .some(ticket)
                    guard operation.state == .pending else { continue }
                    self.known.openOperations[operation.uid] = operation.id
                }
            },
            Load(records) { records in
                let uid = footprint.cards[0]
                let card = (self.known.cards[uid] ?? nil)?.card
                for sequence in card.map({ [$0.confirmed, $0.allocated] }) ?? [] {
                    self.known.records[uid, default: [:]][sequence] = .some(nil)
                }
                for record in records {
                    self.known.records[uid, default: [:]][record.sequence] = record
                }
            },
        ]
    }

    /// A card, and the rows of other tables that belong to its current state.
    private typealias LoadedCard = (
        row: KnownRows.CardRow, gaps: [SequenceGap], attempt: ActivationAttempt?
    )

    private func cardsWithOtherRows(_ uids: [SQLValue]) -> Selection<LoadedCard> {
        let ofCards = "uid \(SQLStatement.among(uids.count))"
        let gaps = """
            (SELECT string_agg(first || '-' || last, ' ' ORDER BY gap.place) FROM gap
                WHERE gap.uid = card.uid AND gap.\(ofCards))
            """
        let cards = cardSelection(
            besides: "\(gaps), activation.id IS NOT NULL, \(ActivationAttempt.qualifiedColumns)",
            from: """
                card LEFT JOIN ticket ON ticket.uid = card.uid AND ticket.id = card.ticket
                        AND ticket.\(ofCards)
                    LEFT JOIN activation ON activation.code = card.scratch_code
                        AND card.scratch = 'scratched' AND activation.state <> 'rejected'
                """, where: "card.\(ofCards) ORDER BY card.uid", uids)
        return Selection(cards.statement.sql, uids, of: "card") { row throws(LedgerError) in
            let card = try cards.decode(&row)
            let gaps = try row.optional(\.text)?.split(separator: " ") ?? []
            let isRequested = try row.value(\.flag)
            return (
                card,
                try gaps.map { gap throws(LedgerError) in
                    let ends = gap.split(separator: "-").map { Int64($0).map(SQLValue.integer) }
                    guard ends.count == 2, let first = ends[0]?.number, let last = ends[1]?.number,
                        first <= last
                    else { throw Columns.unreadable }
                    return SequenceGap(uid: card.card.uid, numbers: first...last)
                }, isRequested ? try ActivationAttempt(&row) : nil
            )
        }
    }

    /// The open operations on these cards and those with these IDs, each with the ticket that it
    /// sold.
    private func operations(
        on uids: [SQLValue], _ ids: [OperationID]
    ) -> Selection<(Operation, SoldTicket?)> {
        let ofCards = "uid \(SQLStatement.among(uids.count))"
        let columns = "SELECT \(Operation.qualifiedColumns) FROM operation WHERE \(ofCards)"
        // Each half uses an index of its own.
        let requested =
            ids.isEmpty
            ? ""
            : """
            UNION ALL \(columns) AND state <> 'pending'
                AND id \(SQLStatement.among(ids.count, after: uids.count))
            """
        return Selection(
            """
            SELECT \(Operation.qualifiedColumns), ticket.id IS NOT NULL,
                \(SoldTicket.qualifiedColumns)
            FROM (\(columns) AND state = 'pending' \(requested)) AS operation
                LEFT JOIN ticket ON ticket.uid = operation.uid
                    AND ticket.operation = operation.id AND ticket.\(ofCards)
            """, uids + ids.map(SQLValue.id), of: Operation.table
        ) { row throws(LedgerError) in
            let operation = try Operation(&row)
            return (operation, try row.value(\.flag) ? try SoldTicket(&row) : nil)
        }
    }

    private func loadOfIDs(_ footprint: Footprint) -> Load {
        let used = Selection(
            """
            SELECT request_id.id, request_id.uid, is_attempt, activation.id IS NOT NULL,
                \(ActivationAttempt.qualifiedColumns)
            FROM request_id LEFT JOIN activation ON activation.id = request_id.id
            WHERE request_id.id \(SQLStatement.among(footprint.ids.count))
            """, footprint.ids.map(SQLValue.id), of: "request_id"
        ) { row throws(LedgerError) in
            (
                id: try row.value(\.id), card: try row.value(\.uid),
                isAttempt: try row.value(\.flag),
                attempt: try row.value(\.flag) ? try ActivationAttempt(&row) : nil
            )
        }
        return Load(used) { rows in
            for row in rows {
                if let attempt = row.attempt { self.known.attempts[row.id] = attempt }
                // An ID that another card has used is not missing, just unknown. An attempt's ID
                // may not have an operation yet.
                guard !row.isAttempt, !footprint.cards.contains(row.card) else { continue }
                self.known.operations.removeValue(forKey: row.id)
                self.known.cardless.removeValue(forKey: row.id)
            }
        }
    }

    private func note(_ card: LoadedCard) {
        let uid = card.row.card.uid
        known.gaps[uid] = card.gaps
        if case .scratched(let code) = card.row.card.scratch {
            known.attemptsForCodes[code] = .some(card.attempt)
        }
        // The ticket was sold on another card, so the card and the ticket have to be read again
        // together.
        known.cards[uid] = card.row.lacksTicket ? nil : .some(card.row)
    }

    /// Marks every row of a footprint as missing until it is found.
    private func markAsMissing(of footprint: Footprint) {
        for id in footprint.ids {
            (known.operations[id], known.attempts[id]) = (.some(nil), .some(nil))
            known.cardless[id] = .some(nil)
        }
        for uid in footprint.cards {
            (known.cards[uid], known.openOperations[uid]) = (.some(nil), .some(nil))
            known.gaps[uid] = []
        }
        if let uid = footprint.cards.first {
            known.records[uid] = Dictionary(
                footprint.records.map { ($0, nil) }, uniquingKeysWith: { $1 })
        }
    }
}

extension SQLStatement {
    /// A condition that a column equals one of these parameters. With an array, a plan that the
    /// server keeps could not select the partitions.
    fileprivate static func among(_ count: Int, after first: Int = 0) -> String {
        let places = (1...count).map { "$\(first + $0)" }
        return count == 1 ? "= \(places[0])" : "IN (\(places.joined(separator: ", ")))"
    }
}

extension SQLValue {
    /// An array in the server's text form.
    fileprivate static func list(_ elements: [String]) -> SQLValue {
        .text("{" + elements.joined(separator: ",") + "}")
    }
}
