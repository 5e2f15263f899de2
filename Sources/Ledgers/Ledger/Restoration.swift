public import TapcardDomain

/// What an operator has to know after a backup was put in a ledger's place.
public struct Restoration: Hashable, Sendable {
    /// A card that could not be used in the ledger that was replaced, and now can.
    public struct Stopped: Hashable, Sendable {
        public let uid: CardUID
        /// What it was: blocked or replaced.
        public let status: LedgerCard.Status

        public init(uid: CardUID, status: LedgerCard.Status) {
            self.uid = uid
            self.status = status
        }
    }

    /// Cards whose numbers are used up.
    public let exhausted: [CardUID]
    /// Nil where the ledger that was replaced could not be read, or there was none. Other cards
    /// that changed since carry a number that tells; a lost card carries none.
    public let stopped: [Stopped]?
    /// The file under which the ledger that was replaced is kept; where only its journal was there,
    /// the journal's.
    public let kept: String?

    public init(exhausted: [CardUID], stopped: [Stopped]?, kept: String? = nil) {
        self.exhausted = exhausted
        self.stopped = stopped
        self.kept = kept
    }
}
