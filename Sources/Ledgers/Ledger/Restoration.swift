public import TapcardDomain

/// The report to an operator after a backup has replaced a ledger.
public struct Restoration: Hashable, Sendable {
    /// A card that could not be used in the replaced ledger but can be used now.
    public struct Stopped: Hashable, Sendable {
        /// The card's number.
        public let uid: CardUID
        /// The card's former status: blocked or replaced.
        public let status: LedgerCard.Status

        /// Creates the entry for a stopped card.
        public init(uid: CardUID, status: LedgerCard.Status) {
            self.uid = uid
            self.status = status
        }
    }

    /// Cards that have no numbers left.
    public let exhausted: [CardUID]
    /// The stopped cards that can be used again; nil if the replaced ledger could not be read. They
    /// are listed because blocking or replacing a card leaves no trace on its tag.
    public let stopped: [Stopped]?
    /// The file name of the replaced ledger, or of its journal if only the journal existed.
    public let kept: String?

    /// Creates the report on a restore.
    public init(exhausted: [CardUID], stopped: [Stopped]?, kept: String? = nil) {
        self.exhausted = exhausted
        self.stopped = stopped
        self.kept = kept
    }
}
