public import TapcardDomain

/// The port to a ledger's storage: rows, and transactions around them.
///
/// What happens to the rows is written once, in this target, for every storage; a driver brings
/// atomicity, durability and the rows. A write has reached the disk when `write` returns.
public protocol LedgerStore: Sendable {
    var currency: Currency { get }

    /// Looks at one consistent state.
    func read<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success

    /// Changes rows, all or none of them; alone, for as long as the body runs. The body may be run
    /// again when a storage has to repeat it, so it does nothing else.
    func write<Success: Sendable>(
        _ body: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Success
    ) async throws(LedgerError) -> Success
}

/// The rows of a ledger, seen from inside one transaction.
public protocol LedgerRows {
    func card(_ uid: CardUID) throws(LedgerError) -> LedgerCard?
    func cards() throws(LedgerError) -> [LedgerCard]
    /// Those that say that this is their code, also when they are not in use any more.
    func cards(with code: ScratchCode) throws(LedgerError) -> [LedgerCard]
    /// Adds the card, or replaces what was known of it.
    func save(_ card: LedgerCard) throws(LedgerError)

    func operation(_ id: OperationID) throws(LedgerError) -> Operation?
    func openOperation(on uid: CardUID) throws(LedgerError) -> Operation?
    func refund(of id: OperationID) throws(LedgerError) -> Operation?
    /// Oldest first.
    func operations(on uid: CardUID?) throws(LedgerError) -> [Operation]
    /// The newest ones, at most so many; oldest first.
    func operations(on uid: CardUID?, last count: Int) throws(LedgerError) -> [Operation]
    /// Those begun at or after the one time and before the other, oldest first.
    func operations(
        begunSince start: Timestamp, until end: Timestamp
    ) throws(LedgerError) -> [Operation]
    func insert(_ operation: Operation) throws(LedgerError)
    /// Changes state, sequence, end and balance of a known operation, nothing else.
    func update(_ operation: Operation) throws(LedgerError)

    /// Takes what the makings of this card were asked for out of the ledger: the holder's name is
    /// in it.
    func forgetParameters(of uid: CardUID) throws(LedgerError)

    func issued(_ uid: CardUID, _ sequence: SequenceNumber) throws(LedgerError) -> IssuedRecord?
    /// The card for which these bytes were made, if any.
    func issued(as bytes: [UInt8]) throws(LedgerError) -> IssuedRecord?
    func issuedRecords(on uid: CardUID) throws(LedgerError) -> [IssuedRecord]
    func insert(_ record: IssuedRecord) throws(LedgerError)

    /// Oldest first.
    func entries(of operation: OperationID?) throws(LedgerError) -> [Entry]
    func append(_ entry: Entry) throws(LedgerError)
    func balance(of account: Account) throws(LedgerError) -> Int64
    func balances() throws(LedgerError) -> [Account: Int64]

    func ticket(_ id: TicketID) throws(LedgerError) -> SoldTicket?
    /// What a purchase sells.
    func ticket(of operation: OperationID) throws(LedgerError) -> SoldTicket?
    /// Oldest first; also those whose purchase is open or was voided.
    func tickets(on uid: CardUID?) throws(LedgerError) -> [SoldTicket]
    func insert(_ ticket: SoldTicket) throws(LedgerError)
    /// What has booked its prize, if anything.
    func claim(of id: TicketID) throws(LedgerError) -> Operation?

    func activation(_ id: OperationID) throws(LedgerError) -> ActivationAttempt?
    /// The attempt for a code that was not rejected, if any.
    func activation(of code: ScratchCode) throws(LedgerError) -> ActivationAttempt?
    /// Oldest first.
    func activations() throws(LedgerError) -> [ActivationAttempt]
    func insert(_ attempt: ActivationAttempt) throws(LedgerError)
    /// Changes state, answer and version of an attempt without an answer, nothing else.
    func update(_ attempt: ActivationAttempt) throws(LedgerError)

    func gaps(on uid: CardUID) throws(LedgerError) -> [SequenceGap]
    func insert(_ gap: SequenceGap) throws(LedgerError)
}
