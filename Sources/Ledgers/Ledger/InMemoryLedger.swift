public import TapcardDomain

/// A ledger kept only in memory, for tests and experiments.
public actor InMemoryLedger: LedgerStore {
    public nonisolated let currency: Currency
    private var tables = LedgerTables()

    /// Creates an empty ledger.
    public init(currency: Currency = .usd) { self.currency = currency }

    public func read<Success: Sendable>(
        touching _: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        // Any change that the body makes goes into a copy, which is discarded.
        var unchanged = tables
        return try unchanged.transact(body)
    }

    public func write<Success: Sendable>(
        touching _: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try tables.transact(body)
    }
}

/// All rows of a ledger in memory, as a value that can be stored, compared, and restored.
package struct LedgerTables: Hashable, Sendable {
    fileprivate(set) package var cards: [CardUID: LedgerCard] = [:]
    fileprivate(set) package var operations: [OperationID: Operation] = [:]
    fileprivate var order: [OperationID] = []
    fileprivate(set) package var issued: [CardUID: [SequenceNumber: IssuedRecord]] = [:]
    fileprivate(set) package var entries: [Entry] = []
    fileprivate var balances: [Account: Int64] = [:]
    fileprivate var gaps: [SequenceGap] = []
    fileprivate var retiredKeys: [RetiredKeyRow] = []
    /// The key that all stations seal with, as in a shared ledger.
    package var sealingKey: UInt8?
    internal(set) package var tickets: [SoldTicket] = []
    internal(set) package var activations: [ActivationAttempt] = []
    fileprivate(set) package var journals: [StationJournal] = []
    fileprivate var readCounters: [CardUID: ReadCounter] = [:]
    fileprivate var products: [ProductID: Product] = [:]
    fileprivate var tills: [Int: EnrolledTill] = [:]
    fileprivate var sessions: [[UInt8]: CashierSession] = [:]
    internal(set) package var shifts: [Shift] = []
    internal(set) package var cardless: [OperationID: CardlessOperation] = [:]
    package init() {}

    /// Runs one transaction: changes are kept only if the body does not throw.
    package mutating func transact<Success>(
        _ body: (any LedgerRows) throws(LedgerError) -> Success
    ) throws(LedgerError) -> Success {
        let rows = MemoryRows(self)
        let success = try body(rows)
        // This is not reached if the body throws, so a failed transaction changes nothing.
        self = rows.tables
        return success
    }

    /// Backdates an operation, along with the end of any operation that it ended. For tests whose
    /// clock does not advance.
    package mutating func age(_ id: OperationID, milliseconds: Int64) {
        guard let old = operations[id] else { return }
        let begun = Timestamp(milliseconds: old.beganAt.milliseconds - milliseconds)
        // An operation that this one ended must still end when this one begins.
        for ended in operations.values where ended.endedAt == old.beganAt {
            operations[ended.id]?.endedAt = begun
        }
        let uptime = old.uptimeAtStart.map {
            Uptime(boot: $0.boot, milliseconds: $0.milliseconds - milliseconds)
        }
        operations[id] = Operation(
            id: old.id, uid: old.uid, kind: old.kind, amount: old.amount, reverses: old.reverses,
            subject: old.subject, lines: old.lines, parameters: old.parameters,
            by: old.requester, beganAt: begun,
            uptimeAtStart: uptime, state: old.state, sequence: old.sequence, endedAt: old.endedAt,
            balanceAfter: old.balanceAfter)
    }
}

/// A retired key, and how many operations had begun before it was retired.
private struct RetiredKeyRow: Hashable, Sendable {
    let key: RetiredKey
    let operations: Int
}

/// The rows of one transaction, with the constraints that a database would enforce.
final class MemoryRows: LedgerRows {
    var tables: LedgerTables
    /// Indexes. A transaction builds each one when it is first needed and discards it on a write.
    private var operationsOfCards: [CardUID: [Operation]]?
    private var entriesOfOperations: [OperationID: [Entry]]?
    /// With up to this many rows, a scan is faster than building an index.
    private static let scanLimit = 100

    init(_ tables: LedgerTables) { self.tables = tables }

    func card(_ uid: CardUID) -> LedgerCard? { tables.cards[uid] }

    func cards(after uid: CardUID?, atMost count: Int) -> [LedgerCard] {
        let uids = tables.cards.keys.filter { other in uid.map { $0 < other } ?? true }
        return uids.sorted().prefixed(count).compactMap { tables.cards[$0] }
    }

    func cards(of holder: HolderID) -> [LedgerCard] {
        tables.cards.values.filter { $0.holder.id == holder }.sorted { $0.uid < $1.uid }
    }

    func cards(with code: ScratchCode) -> [LedgerCard] {
        tables.cards.values.filter { $0.scratch.code == code }.sorted { $0.uid < $1.uid }
    }

    func save(_ card: LedgerCard) throws(LedgerError) {
        guard card.ticket.map({ isValid($0.id) }) ?? true else {
            throw LedgerError(.corrupt, "card \(card.uid) shows a ticket that is void")
        }
        tables.cards[card.uid] = card
    }

    func operation(_ id: OperationID) -> Operation? { tables.operations[id] }

    func openOperation(on uid: CardUID) -> Operation? {
        tables.operations.values.first { $0.uid == uid && $0.state == .pending }
    }

    func refund(of id: OperationID) -> Operation? {
        // Refunds and reversals are never voided, so every match counts.
        tables.operations.values.first { $0.reverses == id }
    }

    func operations(on uid: CardUID?, after id: OperationID?, atMost count: Int) -> [Operation] {
        all(on: uid).after(id).prefixed(count)
    }

    func operations(on uid: CardUID?, last count: Int) -> [Operation] {
        all(on: uid).suffix(max(count, 0))
    }

    func operations(
        begunSince start: Timestamp, until end: Timestamp, after last: Operation?,
        atMost count: Int
    ) -> [Operation] {
        let span = start.milliseconds..<max(start.milliseconds, end.milliseconds)
        let begun = all(on: nil).filter { span.contains($0.beganAt.milliseconds) }
        // Operations that began in the same millisecond keep their order.
        return begun.enumerated().sorted {
            ($0.element.beganAt.milliseconds, $0.offset)
                < ($1.element.beganAt.milliseconds, $1.offset)
        }.map(\.element).after(last?.id).prefixed(count)
    }

    func bookings(
        begunSince start: Timestamp, until end: Timestamp, after last: Operation?,
        atMost count: Int
    ) -> [Booking] {
        operations(begunSince: start, until: end, after: last, atMost: count).map { operation in
            Booking(
                operation, entries(of: operation.id), holder: card(operation.uid)?.holder.name,
                station: nil)
        }
    }

    func lastUses(after first: CardUID?, through last: CardUID) -> [CardUID: Timestamp] {
        var uses: [CardUID: Timestamp] = [:]
        for operation in all(on: nil) where !operation.kind.isByOperator {
            let uid = operation.uid
            guard first.map({ $0 < uid }) ?? true, uid <= last else { continue }
            let earlier = uses[uid] ?? operation.beganAt
            uses[uid] =
                earlier.milliseconds > operation.beganAt.milliseconds
                ? earlier : operation.beganAt
        }
        return uses
    }

    func place(of id: OperationID) -> Int64? { tables.order.firstIndex(of: id).map(Int64.init) }

    func replacements(on uid: CardUID) -> [Operation] {
        all(on: uid).filter { $0.kind == .replace }
    }

    func replacements(of uid: CardUID) -> [Operation] {
        all(on: nil).filter { operation in
            operation.kind == .replace && operation.uid != uid
                && entries(of: operation.id).contains { $0.account.uid == uid }
        }
    }

    private func all(on uid: CardUID?) -> [Operation] {
        guard let uid else { return tables.order.compactMap { tables.operations[$0] } }
        guard tables.order.count > MemoryRows.scanLimit else {
            return all(on: nil).filter { $0.uid == uid }
        }
        let grouped = operationsOfCards ?? Dictionary(grouping: all(on: nil), by: \.uid)
        operationsOfCards = grouped
        return grouped[uid] ?? []
    }

    func insert(_ operation: Operation) throws(LedgerError) {
        guard tables.operations[operation.id] == nil,
            operation.state != .pending || openOperation(on: operation.uid) == nil,
            operation.reverses.map({ refund(of: $0) == nil }) ?? true,
            !operation.kind.recordsPrize || isClaimable(operation.ticketID)
        else { throw LedgerError(.corrupt, "operation \(operation.id) breaks a constraint") }
        tables.operations[operation.id] = operation
        tables.order.append(operation.id)
        operationsOfCards = nil
    }

    func update(_ operation: Operation) throws(LedgerError) {
        guard let known = tables.operations[operation.id], known.state == .pending else {
            throw LedgerError(.corrupt, "operation \(operation.id) is not open")
        }
        tables.operations[operation.id] = operation
        operationsOfCards = nil
    }

    func forgetNameInParameters(of uid: CardUID) {
        for (id, operation) in tables.operations where operation.uid == uid {
            tables.operations[id]?.parameters = operation.parameters.map(
                Operation.forgettingName)
        }
        operationsOfCards = nil
    }

    private func isClaimable(_ id: TicketID?) -> Bool {
        guard let id, claim(of: id) == nil else { return false }
        return isValid(id)
    }

    private func isValid(_ id: TicketID) -> Bool {
        ticket(id).flatMap { tables.operations[$0.operation] }?.state == .committed
    }

    func issued(_ uid: CardUID, _ sequence: SequenceNumber) -> IssuedRecord? {
        tables.issued[uid]?[sequence]
    }

    func issued(as bytes: [UInt8]) -> IssuedRecord? {
        for records in tables.issued.values {
            if let record = records.values.first(where: { $0.bytes == bytes }) { return record }
        }
        return nil
    }

    func issuedRecords(on uid: CardUID) -> [IssuedRecord] {
        (tables.issued[uid] ?? [:]).values.sorted { $0.sequence < $1.sequence }
    }

    func insert(_ record: IssuedRecord) throws(LedgerError) {
        // With this rule disabled, a number may be reused, so its earlier record is removed.
        if SafetyRule.freshNumbers.isDisabled { tables.issued[record.uid]?[record.sequence] = nil }
        guard tables.issued[record.uid]?[record.sequence] == nil else {
            throw LedgerError(.corrupt, "number \(record.sequence) is used twice")
        }
        guard
            SafetyRule.nothingUnderRetiredKeys.isDisabled
                || !tables.retiredKeys.contains(where: { $0.key.id == record.keyID })
        else {
            throw LedgerError(
                .corrupt, "record \(record.sequence) was made under a key that was already retired")
        }
        tables.issued[record.uid, default: [:]][record.sequence] = record
    }

    func entries(of operation: OperationID?) -> [Entry] {
        guard let operation else { return tables.entries }
        guard tables.entries.count > MemoryRows.scanLimit else {
            return tables.entries.filter { $0.operation == operation }
        }
        let grouped = entriesOfOperations ?? Dictionary(grouping: tables.entries, by: \.operation)
        entriesOfOperations = grouped
        return grouped[operation] ?? []
    }

    func append(_ entry: Entry) throws(LedgerError) {
        try add(entry.amount, to: entry.account)
        var entry = entry
        entry.shift = openShift()?.id
        tables.entries.append(entry)
        entriesOfOperations = nil
    }

    func add(_ amount: Int64, to account: Account) throws(LedgerError) {
        let (balance, overflow) = tables.balances[account, default: 0]
            .addingReportingOverflow(amount)
        guard !overflow else {
            throw LedgerError(.corrupt, "account \(account) has a sum too large to represent")
        }
        if case .purse = account {
            guard (0...Currency.largestBalance).contains(balance) else {
                throw LedgerError(
                    .corrupt,
                    "account \(account) has a sum outside the allowed range: \(balance)")
            }
        }
        tables.balances[account] = balance
    }

    func sealingKey() -> UInt8? { tables.sealingKey }

    func retiredKeys() -> [RetiredKey] {
        tables.retiredKeys.map(\.key).sorted { $0.id < $1.id }
    }

    func insert(_ key: RetiredKey) throws(LedgerError) {
        guard tables.retiredKeys.allSatisfy({ $0.key.id != key.id }) else {
            throw LedgerError(.corrupt, "key \(key.id) is already retired")
        }
        tables.retiredKeys.append(RetiredKeyRow(key: key, operations: tables.order.count))
    }

    func recordsMadeAfterRetirement() -> [IssuedRecord] {
        tables.retiredKeys.flatMap { row in
            let later = Set(tables.order.dropFirst(row.operations))
            return tables.issued.values.joined().map(\.value).filter {
                $0.keyID == row.key.id && later.contains($0.operation)
            }
        }
    }

    func balance(of account: Account) -> Int64 { tables.balances[account, default: 0] }

    func forEachAccount(
        _ body: (_ account: Account, _ balance: Int64, _ sum: Int64) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        var sums: [Account: Int64] = [:]
        for entry in tables.entries { sums[entry.account, default: 0] &+= entry.amount }
        for posting in tables.cardless.values.flatMap(\.postings) {
            sums[posting.account, default: 0] &+= posting.amount
        }
        for account in Set(sums.keys).union(tables.balances.keys) {
            try body(account, balance(of: account), sums[account, default: 0])
        }
    }

    func missing() -> MissingRows {
        let uids =
            Set(tables.operations.values.map(\.uid)).union(tables.activations.map(\.card))
            .union(tables.tickets.map(\.card))
        let ids = Set(tables.entries.map(\.operation))
        return MissingRows(
            cards: uids.filter { tables.cards[$0] == nil }.sorted(),
            operations: ids.filter { tables.operations[$0] == nil }
                .sorted { $0.description < $1.description })
    }

    func journals() -> [StationJournal] { tables.journals }
    func journal(_ id: JournalID) -> StationJournal? { tables.journals.first { $0.id == id } }
    func save(_ journal: StationJournal) {
        let place = tables.journals.firstIndex { $0.id == journal.id } ?? tables.journals.count
        let end = min(place + 1, tables.journals.count)
        // For a new journal, the range is empty, so the journal is appended.
        tables.journals.replaceSubrange(place..<end, with: [journal])
    }
    func recordWriteOff(of id: JournalID, at time: Timestamp) {
        guard let place = tables.journals.firstIndex(where: { $0.id == id }) else { return }
        (tables.journals[place].missing, tables.journals[place].writtenOffAt) = (0, time)
    }

    func readCounter(of uid: CardUID) -> ReadCounter? { tables.readCounters[uid] }
    func raise(_ counter: ReadCounter, of uid: CardUID) throws(LedgerError) -> Bool {
        guard tables.cards[uid] != nil else {
            throw LedgerError(.corrupt, "a read counter is recorded for a missing card")
        }
        guard tables.readCounters[uid].map({ $0 < counter }) ?? true else { return false }
        tables.readCounters[uid] = counter
        return true
    }

    func products() -> [Product] {
        tables.products.values.sorted {
            ($0.position, $0.name.text, $0.id.description)
                < ($1.position, $1.name.text, $1.id.description)
        }
    }
    func save(_ product: Product) { tables.products[product.id] = product }

    func tills() -> [EnrolledTill] { tables.tills.values.sorted { $0.number < $1.number } }
    func save(_ till: EnrolledTill) { tables.tills[till.number] = till }

    func sessions(at till: Int) -> [CashierSession] {
        tables.sessions.values.filter { $0.till == till }.sorted { $0.opened < $1.opened }
    }
    func save(_ session: CashierSession) { tables.sessions[session.token] = session }
    func deleteSession(_ token: [UInt8]) { tables.sessions[token] = nil }

    func gaps(on uid: CardUID) -> [SequenceGap] { tables.gaps.filter { $0.uid == uid } }
    func insert(_ gap: SequenceGap) { tables.gaps.append(gap) }
}
