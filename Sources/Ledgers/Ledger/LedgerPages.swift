public import TapcardDomain

/// What may be all of a ledger: rows in pages, each continuing after the last row of the one before,
/// and what else only the audit asks for.
public protocol LedgerPages {
    /// In the order of their UIDs.
    func cards(after uid: CardUID?, atMost count: Int) throws(LedgerError) -> [LedgerCard]
    /// Oldest first; of all cards where none is named.
    func operations(
        on uid: CardUID?, after id: OperationID?, atMost count: Int
    ) throws(LedgerError) -> [Operation]
    /// Those begun at or after the one time and before the other, oldest first.
    func operations(
        begunSince start: Timestamp, until end: Timestamp, after last: Operation?,
        atMost count: Int
    ) throws(LedgerError) -> [Operation]
    /// Where an operation stands among all of them: an older one has a lower place.
    func place(of id: OperationID) throws(LedgerError) -> Int64?
    /// The oldest one that has a subject.
    func firstOperationWithSubject() throws(LedgerError) -> Operation?

    /// Those for a card, and those for this code, whichever card it was on; for all cards where none
    /// is named. Oldest first.
    func activations(
        on uid: CardUID?, or code: ScratchCode?, after id: OperationID?, atMost count: Int
    ) throws(LedgerError) -> [ActivationAttempt]

    /// Every account with its balance and the sum of its entries, which wraps where it is not
    /// representable.
    func forEachAccount(
        _ body: (_ account: Account, _ balance: Int64, _ sum: Int64) throws(LedgerError) -> Void
    ) throws(LedgerError)
    /// Rows that others refer to and that are missing.
    func missing() throws(LedgerError) -> MissingRows
}

/// Rows that others refer to and that are not in the ledger. An honest ledger misses none.
public struct MissingRows: Hashable, Sendable {
    /// Cards of operations, attempts or tickets.
    public let cards: [CardUID]
    /// Operations of entries.
    public let operations: [OperationID]

    public init(cards: [CardUID], operations: [OperationID]) {
        (self.cards, self.operations) = (cards, operations)
    }
}
