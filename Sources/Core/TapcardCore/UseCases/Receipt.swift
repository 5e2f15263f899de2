public import Ledger
public import TapcardDomain

/// The receipt for a completed change. The change is recorded, and the card either has it already
/// or gets it at a later tap.
public struct Receipt: Sendable, Hashable {
    /// The committed operation.
    public let operation: Operation
    /// The amount added to the card; negative for a payment.
    public let amount: Money
    /// The card's balance afterward.
    public let balance: Money
    /// Whether this was a retry, so that nothing happened this time.
    public let isReplayed: Bool
    /// Whether phones see the current state.
    public let display: DisplayState
    /// Tickets that can no longer be claimed because of the change.
    public var ticketsGivenUp: [Ticket] = []
    /// The operations from earlier taps that this tap resolved.
    public var resolved: [ResolvedOperation] = []
    /// The payments that the ledger still has to book, if this payment is only in the station's
    /// journal so far.
    public var unbooked: UnbookedPayments?

    /// The card's number.
    public var uid: CardUID { operation.uid }

    /// This receipt for a request that needed two taps, with the operations that the first tap
    /// resolved.
    func reporting(_ earlier: [ResolvedOperation]) -> Receipt {
        var receipt = self
        receipt.resolved = earlier + resolved
        return receipt
    }
}
