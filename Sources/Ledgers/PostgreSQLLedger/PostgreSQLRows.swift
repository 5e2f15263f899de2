import Games
import Ledger
import LedgerColumns
import TapcardDomain

/// The rows of the ledger within one transaction. What the body reads is kept, and what it changes
/// is collected: all changes go to the server together with COMMIT, in one round trip.
///
/// The rules for what the body sees: a card, an operation and what was changed here come from
/// memory. Anything else comes from the server, which is first given every change collected so far.
final class PostgreSQLRows: LedgerRows {
    /// A card, and what its row has beyond it. The money of its account lies in its row.
    struct CardRow {
        var card: LedgerCard
        var balance: Int64
        /// Nil for a card that is not in the ledger yet.
        var version: Int64?
        var lastPlace: Int64
        /// The ticket that the row has in the ledger.
        var storedTicket: String?
        var isChanged = false
    }

    let link: Link
    let station: Int64
    let isWriting: Bool
    /// Statements that go in front of the next batch.
    private var waiting: [SQLStatement]
    private(set) var hasBegun = false
    private(set) var hasChanged = false

    var cards: [CardUID: CardRow?] = [:]
    var operations: [OperationID: Operation?] = [:]
    /// Operations that were inserted or updated here and are not with the server.
    var unsent: [(operation: Operation, isNew: Bool, place: Int64)] = []
    var openOperations: [CardUID: OperationID?] = [:]
    var ticketsOfOperations: [OperationID: SoldTicket?] = [:]
    var keys: [RetiredKey]?
    /// The balances of accounts that a re-issue in this transaction has ended.
    var formerBalances: [Account: Int64] = [:]
    /// Changes of other rows, in order.
    private var changes: [SQLStatement] = []
    /// Statements that fail unless something is so once everything else is done.
    private var conditions: [SQLStatement] = []
    private var latestPlace: Int64 = 0
    /// The server's last refusal, by which the transaction may be repeated.
    private(set) var failure: LinkFailure?

    init(_ link: Link, station: Int64, isWriting: Bool) {
        (self.link, self.station, self.isWriting) = (link, station, isWriting)
        waiting = [
            SQLStatement(
                isWriting
                    ? "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
                    : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        ]
    }

    /// Runs one query, after every change collected so far.
    func query<Row>(
        _ sql: String, _ values: [SQLValue] = [],
        _ decode: (inout Columns) throws(LedgerError) -> Row
    ) throws(LedgerError) -> [Row] {
        let answers = try run(takeChanges() + [SQLStatement(sql, values)])
        guard let last = answers.last else { return [] }
        var rows: [Row] = []
        for values in last.rows {
            var columns = Columns(values)
            rows.append(try decode(&columns))
        }
        return rows
    }

    /// Sends a batch, in front of it the beginning of the transaction.
    func run(_ batch: [SQLStatement]) throws(LedgerError) -> [SQLAnswer] {
        let beginning = takeWaiting()
        do throws(LinkFailure) {
            return Array(try link.run(beginning + batch).dropFirst(beginning.count))
        } catch {
            note(error)
            throw LedgerError(error)
        }
    }

    /// The beginning of the transaction, where nothing was sent so far.
    func takeWaiting() -> [SQLStatement] {
        defer { waiting = [] }
        hasBegun = true
        return waiting
    }

    func note(_ failure: LinkFailure) { self.failure = failure }

    func noteChange() { hasChanged = true }

    func change(_ sql: String, _ values: [SQLValue]) {
        hasChanged = true
        changes.append(SQLStatement(sql, values))
    }

    /// Collects a change that fails where it changes nothing.
    func change(counting sql: String, _ values: [SQLValue]) {
        hasChanged = true
        changes.append(SQLStatement(counting: sql, values))
    }

    /// Refuses the transaction at its end unless the query counts something.
    func require(_ sql: String, _ values: [SQLValue]) {
        conditions.append(SQLStatement("SELECT 1 / count(*) FROM \(sql)", values))
    }

    /// The next place in the order of everything: the time in microseconds, and later than
    /// anything on these cards.
    func nextPlace(on uid: CardUID) throws(LedgerError) -> Int64 {
        if latestPlace == 0 {
            latestPlace =
                try query(
                    "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
                ) { row throws(LedgerError) in try row.value(\.integer) }.first ?? 0
        }
        guard var row = try loaded(uid) else {
            latestPlace += 1
            return latestPlace
        }
        latestPlace = max(latestPlace, row.lastPlace) + 1
        (row.lastPlace, row.isChanged) = (latestPlace, true)
        cards[uid] = row
        hasChanged = true
        return latestPlace
    }

    /// Every change that is not with the server, in an order that its rules allow.
    func takeChanges() -> [SQLStatement] {
        let new = cards.keys.sorted().compactMap { uid -> SQLStatement? in
            guard let row = cards[uid] ?? nil, row.version == nil else { return nil }
            return row.insertion
        }
        let changed = cards.keys.sorted().compactMap { uid -> SQLStatement? in
            guard let row = cards[uid] ?? nil, row.isChanged, row.version != nil else { return nil }
            return row.update
        }
        for (uid, row) in cards {
            guard var row, row.isChanged || row.version == nil else { continue }
            if let shown = row.card.ticket?.id.text, shown != row.storedTicket {
                require(
                    """
                    ticket_name JOIN operation USING (uid)
                    WHERE ticket_name.id = $1 AND operation.id = ticket_name.operation
                        AND operation.kind = 'ticket' AND operation.state = 'committed'
                    """, [.text(shown)])
            }
            row.storedTicket = row.card.ticket?.id.text
            row.version = (row.version ?? 0) + 1
            row.isChanged = false
            cards[uid] = row
        }
        let operations = unsent.flatMap { row in
            row.isNew ? row.operation.insertion(at: row.place) : [row.operation.update]
        }
        defer { (unsent, changes) = ([], []) }
        return new + operations + changes + changed
    }

    /// The changes, and what has to be so at the end.
    func takeChangesAndConditions() -> [SQLStatement] {
        defer { conditions = [] }
        return takeChanges() + conditions
    }
}
