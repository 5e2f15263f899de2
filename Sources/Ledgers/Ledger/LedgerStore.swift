public import TapcardDomain

/// The port to a ledger's storage: rows, and transactions around them.
///
/// What happens to the rows is written once, in this target, for every storage; a driver brings
/// atomicity, durability and the rows. A write has reached the disk when `write` returns.
public protocol LedgerStore: Sendable {
    var currency: Currency { get }
    /// Whether every write is refused, because the storage may only be read.
    var isReadOnly: Bool { get }

    /// Looks at one consistent state.
    func read<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success

    /// Looks at one consistent state for as long as that takes, while others work on: for what reads
    /// the whole ledger.
    func readAtLength<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success

    /// Reads everything that is stored and throws where a part of it is damaged. No tap does this:
    /// it costs the more, the more there is.
    func checkStorage() async throws(LedgerError)

    /// Changes rows, all or none of them; alone, for as long as the body runs. The body may be run
    /// again when a storage has to repeat it, so it does nothing else.
    func write<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success
}

extension LedgerStore {
    public var isReadOnly: Bool { false }

    /// Throws what a write would throw, where none is possible.
    public func requireWritable() async throws(LedgerError) {
        if isReadOnly { try await write { _ throws(LedgerError) in } }
    }

    public func readAtLength<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success {
        try await read(body)
    }

    /// A storage that cannot be damaged has nothing to check.
    public func checkStorage() async throws(LedgerError) {}
}

/// The rows of a ledger, seen from inside one transaction.
public protocol LedgerRows: LedgerPages {
    func card(_ uid: CardUID) throws(LedgerError) -> LedgerCard?
    /// Those that say that this is their code, also when they are not in use any more.
    func cards(with code: ScratchCode) throws(LedgerError) -> [LedgerCard]
    /// Those whose holder has this number, also when they are not in use any more.
    func cards(of holder: HolderID) throws(LedgerError) -> [LedgerCard]
    /// Adds the card, or replaces what was known of it.
    func save(_ card: LedgerCard) throws(LedgerError)

    func operation(_ id: OperationID) throws(LedgerError) -> Operation?
    func openOperation(on uid: CardUID) throws(LedgerError) -> Operation?
    func refund(of id: OperationID) throws(LedgerError) -> Operation?
    /// The newest ones, at most so many; oldest first.
    func operations(on uid: CardUID?, last count: Int) throws(LedgerError) -> [Operation]
    /// The operations that made this card the replacement of another one, oldest first.
    func replacements(on uid: CardUID) throws(LedgerError) -> [Operation]
    /// The operations on other cards that moved a balance of this one, oldest first.
    func replacements(of uid: CardUID) throws(LedgerError) -> [Operation]
    func insert(_ operation: Operation) throws(LedgerError)
    /// Changes state, sequence, end and balance of a known operation, nothing else.
    func update(_ operation: Operation) throws(LedgerError)

    /// Takes the holder's name out of what the makings of this card were asked for.
    func forgetNamesAsked(of uid: CardUID) throws(LedgerError)

    func issued(_ uid: CardUID, _ sequence: SequenceNumber) throws(LedgerError) -> IssuedRecord?
    /// The card for which these bytes were made, if any.
    func issued(as bytes: [UInt8]) throws(LedgerError) -> IssuedRecord?
    func issuedRecords(on uid: CardUID) throws(LedgerError) -> [IssuedRecord]
    func insert(_ record: IssuedRecord) throws(LedgerError)
    /// Those of operations that were begun after their key was given up.
    func recordsMadeTooLate() throws(LedgerError) -> [IssuedRecord]

    func retiredKeys() throws(LedgerError) -> [RetiredKey]
    /// Gives up a key that is not retired yet.
    func insert(_ key: RetiredKey) throws(LedgerError)

    /// Oldest first.
    func entries(of operation: OperationID?) throws(LedgerError) -> [Entry]
    func append(_ entry: Entry) throws(LedgerError)
    func balance(of account: Account) throws(LedgerError) -> Int64

    func ticket(_ id: TicketID) throws(LedgerError) -> SoldTicket?
    /// What a purchase sells.
    func ticket(of operation: OperationID) throws(LedgerError) -> SoldTicket?
    /// Oldest first; also those whose purchase is open or was voided. Of all cards where none is
    /// named.
    func tickets(on uid: CardUID?) throws(LedgerError) -> [SoldTicket]
    func insert(_ ticket: SoldTicket) throws(LedgerError)
    /// What has booked its prize, if anything.
    func claim(of id: TicketID) throws(LedgerError) -> Operation?

    func activation(_ id: OperationID) throws(LedgerError) -> ActivationAttempt?
    /// The attempt for a code that was not rejected, if any.
    func activation(of code: ScratchCode) throws(LedgerError) -> ActivationAttempt?
    /// Those since a time for a card, and for this code, whichever card it was on; for all cards
    /// where none is named. Oldest first.
    func activations(
        on uid: CardUID?, or code: ScratchCode?, since start: Timestamp
    ) throws(LedgerError) -> [ActivationAttempt]
    func insert(_ attempt: ActivationAttempt) throws(LedgerError)
    /// Changes state, answer and version of an attempt without an answer, nothing else.
    func update(_ attempt: ActivationAttempt) throws(LedgerError)

    func gaps(on uid: CardUID) throws(LedgerError) -> [SequenceGap]
    func insert(_ gap: SequenceGap) throws(LedgerError)
}
