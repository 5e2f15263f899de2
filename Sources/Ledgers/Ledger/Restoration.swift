public import TapcardDomain

/// The report for an operator after a backup has replaced a ledger.
public struct Restoration: Hashable, Sendable {
    /// A card that could not be used in the replaced ledger, and now can.
    public struct Stopped: Hashable, Sendable {
        /// The card's number.
        public let uid: CardUID
        /// The card's former status: blocked or replaced.
        public let status: LedgerCard.Status

        /// Creates the row of a card that is not in use.
        public init(uid: CardUID, status: LedgerCard.Status) {
            self.uid = uid
            self.status = status
        }
    }

    /// Cards without numbers left.
    public let exhausted: [CardUID]
    /// Nil where the replaced ledger could not be read or did not exist. Other cards that changed
    /// since carry a number that tells; a lost card carries none.
    public let stopped: [Stopped]?
    /// The file name of the replaced ledger; where only its journal existed, the journal's.
    public let kept: String?

    /// Creates the report of a restoration.
    public init(exhausted: [CardUID], stopped: [Stopped]?, kept: String? = nil) {
        self.exhausted = exhausted
        self.stopped = stopped
        self.kept = kept
    }
}
