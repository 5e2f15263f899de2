public import TapcardDomain

/// The part of a card that a station needs to know before it defers a purchase.
public struct CardStanding: Hashable, Sendable {
    public let uid: CardUID
    public let status: LedgerCard.Status
    public let account: Int
    public let confirmed: SequenceNumber
    /// The balance in minor units.
    public let balance: Int64
    /// Whether an operation is open on the card.
    public let isOpen: Bool

    public init(
        uid: CardUID, status: LedgerCard.Status, account: Int, confirmed: SequenceNumber,
        balance: Int64, isOpen: Bool
    ) {
        (self.uid, self.status, self.account) = (uid, status, account)
        (self.confirmed, self.balance, self.isOpen) = (confirmed, balance, isOpen)
    }
}
