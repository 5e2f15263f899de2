public import TapcardDomain

/// The report for an operator after a backup replaced a ledger.
public struct Restoration: Hashable, Sendable {
    /// A card that could not be used according to the replaced ledger, and now can.
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
    /// The cards that can be used again; nil if the replaced ledger could not be read. Any other
    /// changed card shows it by its number, but a lost card is not there to show it.
    public let stopped: [Stopped]?
    /// The file name of the replaced ledger, or of its journal if only that existed.
    public let kept: String?

    /// Creates the report of a restoration.
    public init(exhausted: [CardUID], stopped: [Stopped]?, kept: String? = nil) {
        self.exhausted = exhausted
        self.stopped = stopped
        self.kept = kept
    }
}
