public import TapcardDomain

/// The report to an operator after a ledger was replaced with a backup.
public struct Restoration: Hashable, Sendable {
    /// A card that could not be used according to the replaced ledger, but now can.
    public struct Stopped: Hashable, Sendable {
        /// The card's number.
        public let uid: CardUID
        /// The card's former status: blocked or replaced.
        public let status: LedgerCard.Status

        /// Creates the row for a card that is not in use.
        public init(uid: CardUID, status: LedgerCard.Status) {
            self.uid = uid
            self.status = status
        }
    }

    /// Cards that have no numbers left.
    public let exhausted: [CardUID]
    /// The cards that can be used again; nil if the replaced ledger could not be read. Any other
    /// card that has changed reveals it by its number, but a lost card is not there to reveal it.
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
