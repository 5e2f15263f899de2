import Ledger
import LedgerColumns
import TapcardDomain

/// The rows of a footprint, in one round trip.
extension PostgreSQLRows {
    /// Reads the rows that the body will ask for; cards are locked where it writes. With `isEnded`
    /// the transaction ends with this batch, and the body sees nothing else.
    ///
    /// Each query names the cards, so that the server looks into their partitions alone: to plan a
    /// query of all partitions takes longer than the payment. A row that lies elsewhere, such as an
    /// operation on another card, stays unknown and is read singly.
    func load(_ footprint: Footprint, isEnded: Bool = false) throws(LedgerError) {
        let uids = SQLValue.list(footprint.cards.map { String($0.number) })
        let ids = SQLValue.list(footprint.ids.map(\.description))
        let numbers = SQLValue.list(footprint.records.map { String($0.value) })
        let ofCards = "uid = ANY($1::bigint[])"
        let cards = cardSelection(
            from: """
                card LEFT JOIN ticket ON ticket.uid = card.uid AND ticket.id = card.ticket
                    AND ticket.\(ofCards)
                """, where: "card.\(ofCards) ORDER BY card.uid\(lock)", [uids])
        let open = Selection<Operation>(where: "\(ofCards) AND state = 'pending'", [uids])
        let asked = Selection<Operation>(
            where: "\(ofCards) AND id = ANY($2::uuid[])", [uids, ids])
        let used = Selection(
            "SELECT id, uid FROM request_id WHERE id = ANY($1::uuid[]) AND NOT is_attempt", [ids]
        ) { row throws(LedgerError) in (id: try row.value(\.id), card: try row.value(\.uid)) }
        let gaps = gapSelection(where: ofCards, [uids])
        let records = Selection<IssuedRecord>(
            where: "uid = $1 AND sequence = ANY($2::integer[])",
            [footprint.cards.first.map(SQLValue.uid) ?? .null, numbers])
        let attempts = Selection<ActivationAttempt>(where: "id = ANY($1::uuid[])", [ids])
        let forCodes = Selection<ActivationAttempt>(
            where: """
                state <> 'rejected' AND code IN (
                    SELECT scratch_code FROM card WHERE \(ofCards) AND scratch = 'scratched')
                """, [uids])
        let sold = Selection<SoldTicket>(
            where: """
                \(ofCards) AND (operation = ANY($2::uuid[]) OR operation IN (
                    SELECT id FROM operation WHERE \(ofCards) AND state = 'pending'))
                """, [uids, ids])
        let batch = [
            cards.statement, open.statement, asked.statement, gaps.statement, records.statement,
            attempts.statement, forCodes.statement, sold.statement, keySelection.statement,
            clockSelection.statement, used.statement,
        ]
        let answers = try run(batch + (isEnded ? [SQLStatement("COMMIT")] : []))
        guard answers.count >= batch.count else { throw Columns.unreadable }
        isOver = isEnded
        known.keys = KnownRows.Keys(try keySelection.rows(of: answers[8]))
        known.clock = try clockSelection.rows(of: answers[9]).first
        noteAbsence(of: footprint)
        note(try cards.rows(of: answers[0]))
        for operation in try open.rows(of: answers[1]) {
            known.openOperations[operation.uid] = operation.id
            note(operation)
        }
        for row in try used.rows(of: answers[10]) where !footprint.cards.contains(row.card) {
            known.operations.removeValue(forKey: row.id)
        }
        for operation in try asked.rows(of: answers[2]) { note(operation) }
        for gap in try gaps.rows(of: answers[3]) { known.gaps[gap.uid, default: []].append(gap) }
        for record in try records.rows(of: answers[4]) {
            known.records[record.uid, default: [:]][record.sequence] = record
        }
        for attempt in try attempts.rows(of: answers[5]) { known.attempts[attempt.id] = attempt }
        for attempt in try forCodes.rows(of: answers[6]) {
            known.attemptsForCodes[attempt.code] = attempt
        }
        for ticket in try sold.rows(of: answers[7]) {
            known.ticketsOfOperations[ticket.operation] = ticket
        }
    }

    private func note(_ cards: [KnownRows.CardRow]) {
        for row in cards {
            guard !row.lacksTicket else {
                known.cards.removeValue(forKey: row.card.uid)
                continue
            }
            known.cards[row.card.uid] = row
            if case .scratched(let code) = row.card.scratch {
                known.attemptsForCodes[code] = .some(nil)
            }
        }
    }

    /// Notes every row of a footprint as missing, until it is found.
    private func noteAbsence(of footprint: Footprint) {
        for id in footprint.ids {
            (known.operations[id], known.attempts[id]) = (.some(nil), .some(nil))
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
        known.ticketsOfOperations[operation.id] =
            known.ticketsOfOperations[operation.id] ?? .some(nil)
    }
}

extension SQLValue {
    /// An array in the server's text form.
    fileprivate static func list(_ elements: [String]) -> SQLValue {
        .text("{" + elements.joined(separator: ",") + "}")
    }
}
