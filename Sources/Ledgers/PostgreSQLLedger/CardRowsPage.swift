import Ledger
import TapcardDomain

/// All rows that belong to a range of cards. Code that reads a whole ledger uses this type to load
/// the rows of many cards in a few round trips, instead of making several round trips per row.
struct CardRowsPage {
    /// The numbers of the cards.
    let cards: ClosedRange<Int64>
    fileprivate(set) var operations: [CardUID: [Operation]] = [:]
    fileprivate(set) var byID: [OperationID: Operation] = [:]
    fileprivate(set) var places: [OperationID: Int64] = [:]
    fileprivate(set) var entries: [OperationID: [Entry]] = [:]
    fileprivate(set) var records: [CardUID: [IssuedRecord]] = [:]
    fileprivate(set) var gaps: [CardUID: [SequenceGap]] = [:]
    fileprivate(set) var tickets: [CardUID: [SoldTicket]] = [:]
    fileprivate(set) var ticketsByOperation: [OperationID: SoldTicket] = [:]
    fileprivate(set) var attempts: [CardUID: [ActivationAttempt]] = [:]
    fileprivate(set) var attemptsByID: [OperationID: ActivationAttempt] = [:]
    /// The operations on other cards that moved a balance from these cards.
    fileprivate(set) var replacements: [CardUID: [Operation]] = [:]

    /// A limit that keeps memory use low. A card with more operations is read page by page.
    fileprivate static let maxOperations = 8_000

    func contains(_ uid: CardUID) -> Bool { cards.contains(uid.number) }
}

extension Array {
    /// The elements after the one that `isLast` finds, at most `count`; none if `count` is
    /// negative.
    func page(after isLast: ((Element) -> Bool)?, atMost count: Int) -> [Element] {
        let count = Swift.max(count, 0)
        guard let isLast else { return Array(prefix(count)) }
        guard let last = firstIndex(where: isLast) else { return [] }
        return Array(self[(last + 1)...].prefix(count))
    }
}

extension PostgreSQLRows {
    /// The rows that belong to a card, loaded together with those of the other cards on its page.
    /// Nil if the transaction does not read the cards page by page, or if this card has too many
    /// rows.
    func cardRowsPage(of uid: CardUID) throws(LedgerError) -> CardRowsPage? {
        if let page = cardRowsPage, page.contains(uid) { return page }
        guard let end = lastCardOfPage, uid.number <= end, uid != uidWithTooManyRows else {
            return nil
        }
        cardRowsPage = nil
        let found = try query(operations(from: uid.number, through: end))
        var last = end
        // The limit may have cut off the rows of the last card found, so only the cards before it
        // are complete.
        if found.count > CardRowsPage.maxOperations, let cut = found.last?.operation.uid.number {
            last = cut - 1
        }
        // This card alone exceeds the limit, so it is read page by page instead.
        guard last >= uid.number else {
            uidWithTooManyRows = uid
            return nil
        }
        var page = CardRowsPage(cards: uid.number...last)
        for (operation, place) in found where operation.uid.number <= last {
            page.operations[operation.uid, default: []].append(operation)
            (page.byID[operation.id], page.places[operation.id]) = (operation, place)
        }
        try loadOthers(into: &page)
        cardRowsPage = page
        return page
    }

    private func operations(
        from first: Int64, through last: Int64
    ) -> Selection<(operation: Operation, place: Int64)> {
        // This requests one row more than the limit, so that the caller can detect a cut.
        Selection(
            """
            SELECT \(Operation.qualifiedColumns), place FROM operation
            WHERE uid BETWEEN $1 AND $2 ORDER BY uid, place LIMIT $3
            """, [.integer(first), .integer(last), .count(CardRowsPage.maxOperations + 1)],
            of: Operation.table
        ) { row throws(LedgerError) in (try Operation(&row), try row.value(\.integer)) }
    }

    private func loadOthers(into page: inout CardRowsPage) throws(LedgerError) {
        let ends: [SQLValue] = [
            .integer(page.cards.lowerBound), .integer(page.cards.upperBound),
        ]
        let entries = entrySelection("entry WHERE uid BETWEEN $1 AND $2", ends)
        let records = Selection<IssuedRecord>(
            where: "uid BETWEEN $1 AND $2 ORDER BY uid, sequence", ends)
        let gaps = gapSelection(where: "uid BETWEEN $1 AND $2", ends)
        let tickets = Selection<SoldTicket>(
            where: "uid BETWEEN $1 AND $2 ORDER BY uid, place", ends)
        let attempts = Selection<ActivationAttempt>(
            where: "uid BETWEEN $1 AND $2 ORDER BY place, id", ends)
        let replacements = Selection(
            """
            SELECT DISTINCT purse, operation.place, \(Operation.qualifiedColumns)
            FROM entry JOIN operation ON operation.uid = entry.uid AND operation.id = operation
            WHERE purse BETWEEN $1 AND $2 AND purse <> entry.uid AND kind = 'replace'
            ORDER BY operation.place
            """, ends
        ) { row throws(LedgerError) in
            let uid = try row.value(\.uid)
            _ = try row.next()
            return (uid: uid, operation: try Operation(&row))
        }
        let answers = try run([
            entries.statement, records.statement, gaps.statement, tickets.statement,
            attempts.statement, replacements.statement,
        ])
        // There is one result for each statement, in the same order.
        guard answers.count == 6 else { throw Columns.unreadable }
        for entry in try entries.rows(of: answers[0]) {
            page.entries[entry.operation, default: []].append(entry)
        }
        for record in try records.rows(of: answers[1]) {
            page.records[record.uid, default: []].append(record)
        }
        for gap in try gaps.rows(of: answers[2]) { page.gaps[gap.uid, default: []].append(gap) }
        for ticket in try tickets.rows(of: answers[3]) {
            page.tickets[ticket.card, default: []].append(ticket)
            page.ticketsByOperation[ticket.operation] = ticket
        }
        for attempt in try attempts.rows(of: answers[4]) {
            page.attempts[attempt.card, default: []].append(attempt)
            page.attemptsByID[attempt.id] = attempt
        }
        for (uid, operation) in try replacements.rows(of: answers[5]) {
            page.replacements[uid, default: []].append(operation)
        }
    }
}
