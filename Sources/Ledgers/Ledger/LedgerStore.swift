public import TapcardDomain

/// The port to a ledger's storage: rows that are read and changed in transactions.
///
/// The rules are implemented once, in this target, for every kind of storage. The storage provides
/// the rows, atomicity, and durability. A write is on disk when `write` returns.
public protocol LedgerStore: Sendable {
    /// The ledger's currency.
    var currency: Currency { get }
    /// Whether every write is refused because the storage is read-only.
    var isReadOnly: Bool { get }
    /// The ledger's time that corresponds to this time on the station's clock. Stations that share
    /// a ledger need a common time, because they compare the ages of each other's operations.
    func time(at stationTime: Timestamp) -> Timestamp
    /// Reports to the ledger which keys this station has, and returns the IDs under which another
    /// station has a different key. The ledger records each key that it has not seen before.
    func otherKeys(
        than keys: @autoclosure @Sendable () -> StationKeys
    ) async throws(LedgerError) -> Set<UInt8>
    /// The state of the database; nil for a ledger in a file.
    func databaseStatus(at stationTime: Timestamp) async throws(LedgerError) -> DatabaseStatus?

    /// The name of the ledger, which is the same on every server; nil for a ledger on one machine.
    func ledgerID() async throws(LedgerError) -> String?

    /// Records that this station has reported an operation as not done, so that it does not report
    /// the opposite while the ledger is offline.
    func remember(notDone operation: Operation) async

    /// Reads one consistent state.
    func read<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success

    /// Reads one consistent state, possibly for a long time, while other callers continue; meant
    /// for reading the whole ledger.
    func readWithoutBlocking<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success

    /// Reads everything that is stored, and throws if any of it is damaged. A tap never does this,
    /// because the cost grows with the ledger.
    func checkStorage() async throws(LedgerError)

    /// Changes rows, either all of them or none, while no other caller can change them. Storage may
    /// run the body more than once, so the body must have no other effects.
    func write<Success: Sendable>(
        touching footprint: Footprint,
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success
}

extension LedgerStore {
    /// Reads one consistent state, without a footprint.
    public func read<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await read(touching: .unknown, body)
    }

    /// Changes rows, either all of them or none, without a footprint.
    public func write<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await write(touching: .unknown, body)
    }

    public var isReadOnly: Bool { false }

    public func time(at stationTime: Timestamp) -> Timestamp { stationTime }

    /// Returns none, because a ledger with one station has no other station's keys.
    public func otherKeys(
        than keys: @autoclosure @Sendable () -> StationKeys
    ) async throws(LedgerError) -> Set<UInt8> { [] }

    public func databaseStatus(
        at stationTime: Timestamp
    ) async throws(LedgerError) -> DatabaseStatus? { nil }

    public func ledgerID() async throws(LedgerError) -> String? { nil }

    /// Does nothing: a ledger on one machine can always be queried.
    public func remember(notDone operation: Operation) async {}

    /// Throws the same error as a write if no write is possible.
    public func requireWritable() async throws(LedgerError) {
        // The storage refuses even an empty write, with an error that says why.
        if isReadOnly { try await write { _ throws(LedgerError) in } }
    }

    public func readWithoutBlocking<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await read(body)
    }

    /// Does nothing: storage that cannot be damaged has nothing to check.
    public func checkStorage() async throws(LedgerError) {}
}

extension LedgerRows {
    /// Nil, because a ledger with one station leaves this to the station's file.
    public func sealingKey() throws(LedgerError) -> UInt8? { nil }
}

/// The rows of a ledger, as one transaction sees them.
public protocol LedgerRows: LedgerPages {
    /// The row of a card; nil if the card is not in this ledger.
    func card(_ uid: CardUID) throws(LedgerError) -> LedgerCard?
    /// The cards with this code, including those no longer in use.
    func cards(with code: ScratchCode) throws(LedgerError) -> [LedgerCard]
    /// The cards whose holder has this number, including those no longer in use.
    func cards(of holder: HolderID) throws(LedgerError) -> [LedgerCard]
    /// Adds the card, or replaces its row.
    func save(_ card: LedgerCard) throws(LedgerError)

    /// The operation with this ID, if any.
    func operation(_ id: OperationID) throws(LedgerError) -> Operation?
    /// The operation that is open on this card, if any.
    func openOperation(on uid: CardUID) throws(LedgerError) -> Operation?
    /// The operation that refunds this one and was not voided, if any.
    func refund(of id: OperationID) throws(LedgerError) -> Operation?
    /// The newest operations, at most `count`, oldest first.
    func operations(on uid: CardUID?, last count: Int) throws(LedgerError) -> [Operation]
    /// The operations that made this card a replacement for another one, oldest first.
    func replacements(on uid: CardUID) throws(LedgerError) -> [Operation]
    /// The operations on other cards that moved a balance from this one, oldest first.
    func replacements(of uid: CardUID) throws(LedgerError) -> [Operation]
    /// Adds an operation with a new ID.
    func insert(_ operation: Operation) throws(LedgerError)
    /// Changes the state, number, end, and balance of a known operation, and nothing else.
    func update(_ operation: Operation) throws(LedgerError)

    /// Removes the cardholder's name from the parameters stored when this card was made.
    func forgetNameInParameters(of uid: CardUID) throws(LedgerError)

    /// The record that was made for this card and number, if any.
    func issued(_ uid: CardUID, _ sequence: SequenceNumber) throws(LedgerError) -> IssuedRecord?
    /// The record with these bytes, if any was made.
    func issued(as bytes: [UInt8]) throws(LedgerError) -> IssuedRecord?
    /// All records made for a card.
    func issuedRecords(on uid: CardUID) throws(LedgerError) -> [IssuedRecord]
    /// Adds a record that may be on a card from now on.
    func insert(_ record: IssuedRecord) throws(LedgerError)
    /// The records whose operation began after the record's key had been retired.
    func recordsMadeAfterRetirement() throws(LedgerError) -> [IssuedRecord]

    /// The retired keys, each with the time when it was retired.
    func retiredKeys() throws(LedgerError) -> [RetiredKey]
    /// The key that all stations seal with; nil if each station follows its own file.
    func sealingKey() throws(LedgerError) -> UInt8?
    /// Retires a key that has not been retired yet.
    func insert(_ key: RetiredKey) throws(LedgerError)
    /// The cards that still depend on each key; keys that no card depends on are left out.
    func keyUsage() throws(LedgerError) -> [UInt8: KeyUse]
    /// The keys of all records and of the tags' passwords, and the retired keys.
    func usedKeys() throws(LedgerError) -> Set<UInt8>

    /// The entries of the operation, or of all operations if none is given, oldest first.
    func entries(of operation: OperationID?) throws(LedgerError) -> [Entry]
    /// Adds an entry. Entries are never changed.
    func append(_ entry: Entry) throws(LedgerError)
    /// The sum of the account's entries, in minor units.
    func balance(of account: Account) throws(LedgerError) -> Int64

    /// The ticket with this ID; nil if it was never sold.
    func ticket(_ id: TicketID) throws(LedgerError) -> SoldTicket?
    /// The ticket bought in a purchase.
    func ticket(of operation: OperationID) throws(LedgerError) -> SoldTicket?
    /// The tickets of a card, oldest first, including those whose purchase is open or was voided;
    /// of all cards if none is given.
    func tickets(on uid: CardUID?) throws(LedgerError) -> [SoldTicket]
    /// Adds a ticket with a new ID.
    func insert(_ ticket: SoldTicket) throws(LedgerError)
    /// The operation that booked the ticket's prize, if any.
    func claim(of id: TicketID) throws(LedgerError) -> Operation?

    /// The attempt with this ID, if any.
    func activation(_ id: OperationID) throws(LedgerError) -> ActivationAttempt?
    /// The attempt for this code that was not rejected, if any.
    func activation(of code: ScratchCode) throws(LedgerError) -> ActivationAttempt?
    /// The attempts since a given time for this card, along with those for this code on any card,
    /// oldest first; all attempts since then if no card is given.
    func activations(
        on uid: CardUID?, or code: ScratchCode?, since start: Timestamp
    ) throws(LedgerError) -> [ActivationAttempt]
    /// Adds an attempt before the service is called.
    func insert(_ attempt: ActivationAttempt) throws(LedgerError)
    /// Changes the state, response time, and version of an attempt without a response, and nothing
    /// else.
    func update(_ attempt: ActivationAttempt) throws(LedgerError)

    /// The journals of offline payments, in the order in which they were first reported.
    func journals() throws(LedgerError) -> [StationJournal]
    /// The journal with this ID; nil if it was never reported.
    func journal(_ id: JournalID) throws(LedgerError) -> StationJournal?
    /// Adds the journal, or replaces its row except for the time of a write-off. It belongs to the
    /// station that first writes it.
    func save(_ journal: StationJournal) throws(LedgerError)
    /// Resets the number of missing payments to 0 and records when they were written off. In a
    /// database, only the owner may do that.
    func recordWriteOff(of id: JournalID, at time: Timestamp) throws(LedgerError)

    /// The highest read counter at which the card's page was shown, if any.
    func readCounter(of uid: CardUID) throws(LedgerError) -> ReadCounter?
    /// Stores this counter in one statement. Returns false, and changes nothing, unless it is
    /// higher than all counters stored before.
    func raise(
        _ counter: ReadCounter, of uid: CardUID
    ) throws(LedgerError) -> Bool

    /// The change without a card that has this ID, if any.
    func cardless(_ id: OperationID) throws(LedgerError) -> CardlessOperation?
    /// The operation that undoes this sale without a card, if any.
    func cardless(undoing id: OperationID) throws(LedgerError) -> CardlessOperation?
    /// Adds a change without a card, with a new ID, and books it on the issuer's accounts. The
    /// storage records the shift that is open at this station.
    func insert(_ operation: CardlessOperation) throws(LedgerError)

    /// The shift that is open at this station, without its counts. A transaction that writes locks
    /// it, so that no entry is added to it meanwhile.
    func openShift() throws(LedgerError) -> Shift?
    /// The shift with this ID.
    func shift(_ id: ShiftID) throws(LedgerError) -> Shift?
    /// The shifts of all stations, oldest first.
    func shifts() throws(LedgerError) -> [Shift]
    /// Adds a shift that is open at this station.
    func insert(_ shift: Shift) throws(LedgerError)
    /// Records the end of an open shift.
    func close(_ shift: Shift) throws(LedgerError)
    /// Adds a count to a closed shift. `shift` has the earlier counts.
    func insert(_ count: Shift.Count, of shift: Shift) throws(LedgerError)
    /// The entries that were made in a shift, oldest first.
    func entries(inShift id: ShiftID) throws(LedgerError) -> [Entry]
    /// The changes without a card that were made in a shift, oldest first.
    func cardless(inShift id: ShiftID) throws(LedgerError) -> [CardlessOperation]
    /// The operations that began in a closed shift and were booked at its station after its end.
    func lateOperations(of shift: Shift) throws(LedgerError) -> [Operation]

    /// All products, including retired ones, in the order of their positions and names.
    func products() throws(LedgerError) -> [Product]
    /// Adds the product, or replaces its row.
    func save(_ product: Product) throws(LedgerError)

    /// All tills with readers on other machines, including removed ones, ordered by number.
    func tills() throws(LedgerError) -> [EnrolledTill]
    /// Adds the till, or replaces its row.
    func save(_ till: EnrolledTill) throws(LedgerError)

    /// The cashiers' sessions at this till, in the order in which they were opened.
    func sessions(at till: Int) throws(LedgerError) -> [CashierSession]
    /// Adds the session, or replaces its row.
    func save(_ session: CashierSession) throws(LedgerError)
    /// Deletes the session with this hash of its token, if there is one.
    func deleteSession(_ token: [UInt8]) throws(LedgerError)

    /// The ranges of this card's numbers that may have been assigned without a record here.
    func gaps(on uid: CardUID) throws(LedgerError) -> [SequenceGap]
    /// Adds a range of numbers that may already have been assigned.
    func insert(_ gap: SequenceGap) throws(LedgerError)
}
