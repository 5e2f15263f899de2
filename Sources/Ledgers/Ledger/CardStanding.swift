public import TapcardDomain

/// What a station needs to know about a card before it takes an offline payment.
public struct CardStanding: Hashable, Sendable {
    /// The card's number.
    public let uid: CardUID
    /// The card's status in the ledger.
    public let status: LedgerCard.Status
    /// The number of the account, which increases each time the tag is reissued.
    public let account: Int
    /// The number of the last record confirmed to be on the card.
    public let confirmed: SequenceNumber
    /// The balance in minor units.
    public let balance: Int64
    /// Whether an operation is open on the card.
    public let isOpen: Bool

    /// Creates a card's standing.
    public init(
        uid: CardUID, status: LedgerCard.Status, account: Int, confirmed: SequenceNumber,
        balance: Int64, isOpen: Bool
    ) {
        (self.uid, self.status, self.account) = (uid, status, account)
        (self.confirmed, self.balance, self.isOpen) = (confirmed, balance, isOpen)
    }
}

extension LedgerPages where Self: LedgerRows {
    /// The default implementation, for storage that has no single query for this.
    func standings(after uid: CardUID?, atMost count: Int) throws(LedgerError) -> [CardStanding] {
        var standings: [CardStanding] = []
        for card in try cards(after: uid, atMost: count) {
            standings.append(
                CardStanding(
                    uid: card.uid, status: card.status, account: card.account,
                    confirmed: card.confirmed, balance: try balance(of: card.purse),
                    isOpen: try openOperation(on: card.uid) != nil))
        }
        return standings
    }
}
