public import TapcardDomain

/// A lottery ticket that was paid for with a card. It becomes valid once its purchase is committed;
/// if the purchase is voided, the ticket is void.
public struct SoldTicket: Hashable, Sendable {
    /// The ticket.
    public let ticket: Ticket
    /// The card that paid for the ticket.
    public let card: CardUID
    /// The purchase.
    public let operation: OperationID
    /// The price in minor units.
    public let price: Int64
    /// The time of the sale.
    public let boughtAt: Timestamp

    /// Creates a ticket's row.
    public init(
        _ ticket: Ticket, card: CardUID, operation: OperationID, price: Int64, boughtAt: Timestamp
    ) {
        self.ticket = ticket
        self.card = card
        self.operation = operation
        self.price = price
        self.boughtAt = boughtAt
    }
}
