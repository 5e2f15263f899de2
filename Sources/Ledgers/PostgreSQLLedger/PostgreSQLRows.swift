import Ledger
import TapcardDomain

/// The ledger's rows within one transaction. What the body reads is kept, and what it changes is
/// collected: all changes go to the server together with COMMIT, in one round trip.
///
/// The body gets cards, operations, and its own changes from memory. Anything else comes from the
/// server, which first gets every change collected so far.
final class PostgreSQLRows: LedgerRows {
    let link: Link
    let opening: Opening
    let isWriting: Bool
    /// Whether the beginning was taken. It stays true after the transaction has ended.
    private(set) var hasBegun: Bool
    private(set) var hasChanged = false

    var known: KnownRows
    /// Whether the body gets only known rows, without any query to the server.
    var usesKnownRowsOnly: Bool
    /// Whether the body needed an unknown row while it ran without the server.
    private(set) var hasMissed = false
    /// The last card of the latest page that the body read.
    var lastCardOfPage: Int64?
    /// The rows that belong to some of the cards on that page.
    var cardRowsPage: CardRowsPage?
    /// The card whose rows are read page by page, because there are too many to keep in memory.
    var uidWithTooManyRows: CardUID?
    /// The number of queries for rows that were not loaded. Each one took a round trip.
    private(set) var misses = 0
    /// The IDs assumed to be new while the body runs without the server. Inserting them checks
    /// that.
    var assumedNew: Set<OperationID> = []
    var inserted: Set<OperationID> = []
    /// The cards whose rows the body has seen.
    var seenCards: Set<CardUID> = []
    /// Operations inserted or updated here that the server does not have yet.
    var unsent: [(operation: Operation, isNew: Bool, place: Int64)] = []
    /// Entries that the server does not have yet, each with its card and its place.
    var unsentEntries: [(entry: Entry, uid: CardUID, place: Int64)] = []
    /// The operations that this transaction has changed, in order.
    var changedOperations: [Operation] = []
    /// The balances of accounts that ended because of a reissue in this transaction.
    var formerBalances: [Account: Int64] = [:]
    /// Changes to other rows, in order.
    private var changes: [SQLStatement] = []
    /// Statements, run after everything else, that fail unless a condition is met.
    private var conditions: [SQLStatement] = []
    private var latestPlace: Int64 = 0
    /// The server's last refusal, which may be a reason to repeat the transaction.
    private(set) var failure: LinkFailure?

    /// The rows in a transaction that has already begun and that the caller ends.
    init(within ledger: OpenLedger) {
        (link, opening) = (ledger.link, ledger.opening)
        (isWriting, known, usesKnownRowsOnly, hasBegun) = (false, KnownRows(), false, true)
    }

    /// The rows in a new transaction. With `known`, the body's decisions are based on those rows
    /// alone, and the batch that changes them checks that they are still current.
    init(_ ledger: OpenLedger, isWriting: Bool, basedOn known: KnownRows? = nil) {
        (link, opening) = (ledger.link, ledger.opening)
        (self.isWriting, hasBegun) = (isWriting, false)
        (self.known, usesKnownRowsOnly) = (known ?? KnownRows(), known != nil)
    }

    /// Runs one query, after every change collected so far.
    func query<Row>(_ selection: Selection<Row>) throws(LedgerError) -> [Row] {
        misses += 1
        let answers = try run(takeChanges() + [selection.statement])
        return try answers.last.map { answer throws(LedgerError) in
            try selection.rows(of: answer)
        } ?? []
    }

    /// Whether every row that the body needed was known.
    var isAnswered: Bool { !hasMissed && assumedNew.isEmpty }

    /// Whether the batch that changes the rows checks everything that the body's decisions were
    /// based on.
    var canBeVerified: Bool {
        hasChanged && !hasMissed && assumedNew.isSubset(of: inserted)
    }

    /// Locks the rows of cards if this transaction writes.
    var lock: String { isWriting ? " FOR NO KEY UPDATE OF card" : "" }

    /// Sends a batch, preceded by the beginning of the transaction. With `endsTransaction`, the
    /// transaction ends with this batch, which only reads.
    func run(
        _ batch: [SQLStatement], endsTransaction: Bool = false
    ) throws(LedgerError) -> [SQLAnswer] {
        guard !usesKnownRowsOnly else {
            hasMissed = true
            throw LedgerError(.unavailable, "a row was not read; this is a program error")
        }
        // A batch without BEGIN is a transaction of its own. On a connection that keeps its plans,
        // it reads one consistent state.
        let needsBegin = !(endsTransaction && link.keepsPlans)
        let beginning = takeBeginning(withBegin: needsBegin)
        let end = endsTransaction && needsBegin ? [SQLStatement("COMMIT")] : []
        let answers: [SQLAnswer]
        do throws(LinkFailure) {
            answers = try link.run(beginning + batch + end)
            // A beginning without a fence is shorter.
            if beginning.count > Opening.fence.count { try link.requireFence(answers) }
        } catch {
            note(error)
            throw LedgerError(error)
        }
        if let guardian = beginning.indices.last { try note(guardian: answers[guardian]) }
        return Array(answers.dropFirst(beginning.count))
    }

    /// Records the server's time and the keys, which the guardian returns.
    private func note(guardian answer: SQLAnswer) throws(LedgerError) {
        guard let row = answer.rows.first else { throw Columns.unreadable }
        var columns = Columns(row)
        // The first column is the guardian's own test.
        _ = try columns.next()
        known.clock = ServerClock(try columns.value(\.integer))
        known.keys = try KnownRows.Keys(&columns)
    }

    /// The statements that begin the transaction; none if they were taken before.
    func takeBeginning(withBegin: Bool = true) -> [SQLStatement] {
        guard !hasBegun else { return [] }
        hasBegun = true
        // A transaction that writes waits for the replica anyway. A read-only transaction may take
        // a long time and must not hold anything up.
        guard isWriting else {
            return (opening.isPooled ? Opening.fence : [])
                + (withBegin
                    ? [SQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")] : [])
                + [opening.guardian(forWriting: false, evaluating: PostgreSQLRows.reports)]
        }
        let check = check
        let guardian = opening.guardian(
            forWriting: true,
            evaluating: (check == nil ? PostgreSQLRows.reports : []) + Opening.termExpressions
                + (check.map { [$0.expression] } ?? []), check?.values ?? [])
        if SafetyRule.oneTransaction.isDisabled { return [guardian] }
        return [SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"), guardian]
    }

    /// The values that the guardian returns. ``note(guardian:)`` reads them in this order.
    private static let reports = [ServerClock.microseconds, KnownRows.Keys.selected]

    /// Records a failure. If it ends the connection, the next connection finds out why.
    func note(_ failure: LinkFailure) {
        self.failure = failure
        if failure.endsConnection { link.close() }
    }

    func noteChange() { hasChanged = true }

    func change(_ sql: String, _ values: [SQLValue]) {
        hasChanged = true
        changes.append(SQLStatement(sql, values))
    }

    func change(_ statements: [SQLStatement]) {
        hasChanged = true
        changes += statements
    }

    /// Collects a change that fails if it changes nothing.
    func change(counting sql: String, _ values: [SQLValue]) {
        hasChanged = true
        changes.append(SQLStatement(counting: sql, values))
    }

    /// Makes the transaction fail at its end unless the query finds a row.
    func require(_ sql: String, _ values: [SQLValue]) {
        conditions.append(SQLStatement("SELECT 1 / count(*) FROM \(sql)", values))
    }

    /// The server's clock, as last read over this connection.
    var clock: ServerClock { known.clock ?? opening.clock }

    /// Records that something about this card changes, so that its version changes, too.
    func touch(_ uid: CardUID) throws(LedgerError) {
        hasChanged = true
        guard var row = try cardRow(uid) else { return }
        row.isChanged = true
        known.cards[uid] = row
    }

    /// An expression that fails unless the rows that the body's decisions are based on are still
    /// current. It also locks their cards until the commit. Its parameters come after the
    /// guardian's own two.
    private var check: (expression: String, values: [SQLValue])? {
        guard usesKnownRowsOnly else { return nil }
        // Retired keys are never removed, so their number shows whether there is a new one.
        var values: [SQLValue] = [
            .count(known.keys?.retired.count ?? 0),
            .integer(known.keys?.sealing.map { Int64($0) } ?? -1),
        ]
        var tests = [
            "(SELECT count(*) FROM retired_key) = $3",
            "coalesce((\(IssuerKeys.sealing)), -1) = $4",
        ]
        // The conditions on cards stand in front of those on keys because each locks its card's
        // row. Cards are locked in ascending order of UID so that two transactions cannot
        // deadlock. The loop runs in descending order because it inserts each at the front.
        for uid in seenCards.sorted().reversed() {
            // A card that the ledger lacks is given version 0. No row has this version, so the
            // card's check fails.
            values += [.uid(uid), .integer((known.cards[uid] ?? nil)?.version ?? 0)]
            let version = KnownRows.CardRow.versionCondition("$\(values.count + 2)")
            tests.insert(
                """
                (SELECT count(*) FROM (
                    SELECT 1 FROM card WHERE uid = $\(values.count + 1) AND \(version)
                    FOR NO KEY UPDATE) AS seen) = 1
                """, at: 0)
        }
        // PostgreSQL evaluates the conditions of AND in any order, but those of CASE in the order
        // in which they are written.
        let cases = tests.map { "WHEN NOT (\($0)) THEN 0" }.joined(separator: " ")
        return ("1 / (CASE \(cases) ELSE 1 END)", values)
    }

    /// The next place in the order of all rows: the time in microseconds, but always after this
    /// card's last row.
    func nextPlace(on uid: CardUID) throws(LedgerError) -> Int64 {
        if latestPlace == 0 {
            // Two readings of the clock may differ by the time that a message takes, but the order
            // of this station's actions is kept.
            latestPlace = max(clock.now, link.latestPlace)
        }
        defer { link.latestPlace = latestPlace }
        // A card that is not in the ledger yet has no last place.
        guard var row = try cardRow(uid) else {
            latestPlace += 1
            return latestPlace
        }
        guard row.lastPlace < PostgreSQLSchema.highestPlace else {
            throw LedgerError(
                .corrupt,
                "the row of card \(uid) was not written by tapcard; run `tapcard audit`")
        }
        let place = max(latestPlace, row.lastPlace) + 1
        // If another program has set this card's place far in the future, other cards must not
        // follow.
        if place < clock.now + PostgreSQLRows.maxLead { latestPlace = place }
        (row.lastPlace, row.isChanged) = (place, true)
        known.cards[uid] = row
        hasChanged = true
        return place
    }

    /// A day in microseconds.
    private static let maxLead: Int64 = 86_400_000_000

    /// Every change that the server does not have yet, in an order that its rules allow.
    func takeChanges() -> [SQLStatement] {
        writeSkippedNumbers()
        let new = known.cards.keys.sorted().compactMap { uid -> SQLStatement? in
            guard let row = known.cards[uid] ?? nil, row.version == nil else { return nil }
            return row.insertion
        }
        let changed = known.cards.keys.sorted().compactMap { uid -> SQLStatement? in
            guard let row = known.cards[uid] ?? nil, row.isChanged, row.version != nil else {
                return nil
            }
            return row.update
        }
        for (uid, row) in known.cards {
            guard var row, row.isChanged || row.version == nil else { continue }
            // A new ticket may have been bought with another card, which is not locked, so it is
            // verified at the end.
            if let shown = row.card.ticket?.id.text, shown != row.storedTicket {
                require(
                    """
                    ticket_name JOIN operation USING (uid)
                    WHERE ticket_name.id = $1 AND operation.id = ticket_name.operation
                        AND operation.kind = 'ticket' AND operation.state = 'committed'
                    """, [.text(shown)])
            }
            row.storedTicket = row.card.ticket?.id.text
            // The version that the statement above gives the row.
            row.version = (row.version ?? 0) &+ 1
            row.isChanged = false
            known.cards[uid] = row
        }
        let operations = unsent.flatMap { row in
            row.isNew ? row.operation.insertion(at: row.place) : [row.operation.update]
        }
        let entries = Entry.insertion(of: unsentEntries, station: opening.station)
        defer { (unsent, unsentEntries, changes) = ([], [], []) }
        // New cards come first, because all other rows refer to them.
        return new + operations + entries + changes + changed
    }

    private func writeSkippedNumbers() {
        // If a card does not change, every transaction that reads it skips the numbers again.
        for uid in known.cards.keys.sorted() {
            guard var row = known.cards[uid] ?? nil, row.isChanged, let gap = row.skipped else {
                continue
            }
            // Wraps instead of trapping; the server's limit refuses a place that is too high.
            row.lastPlace &+= 1
            change([gap.insertion(at: row.lastPlace)])
            known.gaps[uid]?.append(gap)
            row.skipped = nil
            known.cards[uid] = row
        }
    }

    /// The changes, and the conditions that must be met at the end.
    func takeChangesAndConditions() -> [SQLStatement] {
        defer { conditions = [] }
        // The database server itself refuses to commit after the deadline, because the caller
        // has given up by then.
        let end = SafetyRule.deadline.isDisabled ? [] : [Opening.deadline(deadline)]
        return takeChanges() + conditions + end
    }

    /// The time on the server's clock at which the station gives up on this transaction.
    private(set) lazy var deadline =
        clock.now + link.timeouts.committing.microseconds
}

extension Duration {
    fileprivate var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
