public import TapcardDomain

/// Queries for tables that grow with the ledger, in pages that each start after the last row of the
/// previous page, and queries that only the audit needs.
public protocol LedgerPages {
    /// The next cards, ordered by UID.
    func cards(after uid: CardUID?, atMost count: Int) throws(LedgerError) -> [LedgerCard]
    /// The next cards, ordered by UID, each with its balance.
    func standings(after uid: CardUID?, atMost count: Int) throws(LedgerError) -> [CardStanding]
    /// The next operations on the card, or on all cards if none is given, oldest first.
    func operations(
        on uid: CardUID?, after id: OperationID?, atMost count: Int
    ) throws(LedgerError) -> [Operation]
    /// The next operations begun at or after `start` and before `end`, oldest first.
    func operations(
        begunSince start: Timestamp, until end: Timestamp, after last: Operation?,
        atMost count: Int
    ) throws(LedgerError) -> [Operation]
    /// The next operations begun at or after `start` and before `end`, oldest first, each with what
    /// it has booked.
    func bookings(
        begunSince start: Timestamp, until end: Timestamp, after last: Operation?,
        atMost count: Int
    ) throws(LedgerError) -> [Booking]
    /// When each card was last used, for the UIDs above `first` and up to `last`; all UIDs up to
    /// `last` if `first` is nil. Blocking, unblocking, and forgetting a name are not uses.
    func lastUses(
        after first: CardUID?, through last: CardUID
    ) throws(LedgerError) -> [CardUID: Timestamp]
    /// An operation's place in the order of all operations; an older operation has a lower place.
    func place(of id: OperationID) throws(LedgerError) -> Int64?

    /// The next attempts for this card, along with those for this code on any card, oldest first;
    /// all attempts if no card is given.
    func activations(
        on uid: CardUID?, or code: ScratchCode?, after id: OperationID?, atMost count: Int
    ) throws(LedgerError) -> [ActivationAttempt]

    /// The next changes without a card that were made at or after `start` and before `end`, in the
    /// order of their times and IDs.
    func cardless(
        since start: Timestamp, until end: Timestamp, after last: CardlessOperation?,
        atMost count: Int
    ) throws(LedgerError) -> [CardlessOperation]

    /// Passes every account to the body, with its balance and the sum of its entries. The sum wraps
    /// on overflow.
    func forEachAccount(
        _ body: (_ account: Account, _ balance: Int64, _ sum: Int64) throws(LedgerError) -> Void
    ) throws(LedgerError)
    /// Missing rows that other rows refer to.
    func missing() throws(LedgerError) -> MissingRows
}

/// Missing rows that other rows refer to. A consistent ledger has none.
public struct MissingRows: Hashable, Sendable {
    /// Missing cards that operations, attempts, or tickets refer to.
    public let cards: [CardUID]
    /// Missing operations that entries refer to.
    public let operations: [OperationID]

    /// Creates a list of missing rows.
    public init(cards: [CardUID], operations: [OperationID]) {
        (self.cards, self.operations) = (cards, operations)
    }
}
