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
    /// `isEnded`, the transaction ends with this batch, and the body sees no other rows.
    ///
    /// Each query specifies the cards, so that the server reads only their partitions: planning a
    /// query over all partitions takes longer than the payment. A row in another partition, such as
    /// an operation on another card, remains unknown and is read separately.
    func load(_ footprint: Footprint, isEnded: Bool = false) throws(LedgerError) {
        let loads =
            (footprint.cards.isEmpty ? [] : loadsOfCards(footprint))
            + (footprint.ids.isEmpty ? [] : loadsOfIDs(footprint)) + loadsForEveryTap
        let answers = try run(
            loads.map(\.statement) + (isEnded ? [SQLStatement("COMMIT")] : []))
        guard answers.count >= loads.count else { throw Columns.unreadable }
        isOver = isEnded
        markAsMissing(of: footprint)
        for (load, answer) in zip(loads, answers) { try load.note(answer) }
    }

    /// The retired keys and the server's time.
    private var loadsForEveryTap: [Load] {
        [
            Load(keySelection) { self.known.keys = KnownRows.Keys($0) },
            Load(clockSelection) { self.known.clock = $0.first },
        ]
    }

    private func loadsOfCards(_ footprint: Footprint) -> [Load] {
        let uids = footprint.cards.map(SQLValue.uid)
        let ofCards = "uid \(SQLStatement.among(uids.count))"
        let cards = cardSelection(
            from: """
                card LEFT JOIN ticket ON ticket.uid = card.uid AND ticket.id = card.ticket
                    AND ticket.\(ofCards)
                """, where: "card.\(ofCards) ORDER BY card.uid\(lock)", uids)
        let open = Selection<Operation>(where: "\(ofCards) AND state = 'pending'", uids)
        let forCodes = Selection<ActivationAttempt>(
            where: """
                state <> 'rejected' AND code IN (
                    SELECT scratch_code FROM card WHERE \(ofCards) AND scratch = 'scratched')
                """, uids)
        let ids = SQLValue.list(footprint.ids.map(\.description))
        let sold = Selection<SoldTicket>(
            where: """
                \(ofCards) AND (operation = ANY($\(uids.count + 1)::uuid[]) OR operation IN (
                    SELECT id FROM operation WHERE \(ofCards) AND state = 'pending'))
                """, uids + [ids])
        var loads = [
            Load(cards) { self.note($0) },
            Load(open) { operations in
                for operation in operations {
                    self.known.openOperations[operation.uid] = operation.id
                    self.note(operation)
                }
            },
            Load(gapSelection(where: ofCards, uids)) { gaps in
                for gap in gaps { self.known.gaps[gap.uid, default: []].append(gap) }
            },
            Load(forCodes) { attempts in
                for attempt in attempts { self.known.attemptsForCodes[attempt.code] = attempt }
            },
            Load(sold) { tickets in
                for ticket in tickets { self.known.ticketsOfOperations[ticket.operation] = ticket }
            },
        ]
        // The footprint's record numbers belong to its first card.
        if !footprint.records.isEmpty {
            let records = Selection<IssuedRecord>(
                where: "uid = $1 AND sequence = ANY($2::integer[])",
                [uids[0], .list(footprint.records.map { String($0.value) })])
            loads.append(
                Load(records) { records in
                    for record in records {
                        self.known.records[record.uid, default: [:]][record.sequence] = record
                    }
                })
        }
        return loads
    }

    private func loadsOfIDs(_ footprint: Footprint) -> [Load] {
        let (uids, ids) = (
            footprint.cards.map(SQLValue.uid), footprint.ids.map(SQLValue.id)
        )
        let amongIDs = "id \(SQLStatement.among(ids.count))"
        // An attempt's ID is left out, because it may not have an operation yet.
        let used = Selection(
            "SELECT id, uid FROM request_id WHERE \(amongIDs) AND NOT is_attempt", ids
        ) { row throws(LedgerError) in (id: try row.value(\.id), card: try row.value(\.uid)) }
        let attempts = Selection<ActivationAttempt>(where: amongIDs, ids)
        var loads = [
            // An ID that another card has used is not missing, just unknown.
            Load(used) { rows in
                for row in rows where !footprint.cards.contains(row.card) {
                    self.known.operations.removeValue(forKey: row.id)
                    self.known.cardless.removeValue(forKey: row.id)
                }
            },
            Load(attempts) { attempts in
                for attempt in attempts { self.known.attempts[attempt.id] = attempt }
            },
        ]
        if !uids.isEmpty {
            let requested = Selection<Operation>(
                where: """
                    uid \(SQLStatement.among(uids.count))
                        AND id \(SQLStatement.among(ids.count, after: uids.count))
                    """, uids + ids)
            loads.append(
                Load(requested) { operations in
                    for operation in operations { self.note(operation) }
                })
        }
        return loads
    }

    private func note(_ cards: [KnownRows.CardRow]) {
        for row in cards {
            // The ticket was sold on another card, so the card and the ticket have to be read
            // again together.
            guard !row.lacksTicket else {
                known.cards.removeValue(forKey: row.card.uid)
                continue
            }
            known.cards[row.card.uid] = row
            // The attempt counts as missing unless the later query for attempts finds one.
            if case .scratched(let code) = row.card.scratch {
                known.attemptsForCodes[code] = .some(nil)
            }
        }
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

    private func note(_ operation: Operation) {
        known.operations[operation.id] = operation
        // A sale that was committed between two statements in the batch has a ticket, although the
        // earlier statement did not find it.
        guard operation.kind != .ticket else { return }
        known.ticketsOfOperations[operation.id] = .some(nil)
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
