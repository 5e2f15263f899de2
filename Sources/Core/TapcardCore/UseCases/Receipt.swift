public import Ledger
public import TapcardDomain

/// A change that has happened: it is in the ledger, and the card shows it or follows.
public struct Receipt: Sendable, Hashable {
    /// The operation, committed.
    public let operation: Operation
    /// The amount added to the card; negative for a payment.
    public let amount: Money
    /// The card's balance afterwards.
    public let balance: Money
    /// Whether this was a retry, and nothing happened this time.
    public let isReplayed: Bool
    /// The state of the text that phones read.
    public let display: DisplayState
    /// The unclaimed tickets that cannot be claimed any more.
    public var ticketsGivenUp: [Ticket] = []
    /// The operations of earlier taps that this one has resolved before.
    public var resolved: [ResolvedOperation] = []
    /// What the ledger is still to book, where the change is only in the station's journal.
    public var unbooked: UnbookedPayments?

    /// The card's number.
    public var uid: CardUID { operation.uid }

    /// The receipt of a request that took two taps, with the operations that the first has
    /// resolved.
    func telling(_ earlier: [ResolvedOperation]) -> Receipt {
        var receipt = self
        receipt.resolved = earlier + resolved
        return receipt
    }
}
