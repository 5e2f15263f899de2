/// A bet on one draw.
public struct Ticket: Hashable, Sendable {
    /// The ticket's ID.
    public let id: TicketID
    /// The draw that the ticket is for.
    public let draw: DrawID
    /// The balls on the ticket.
    public let balls: Balls

    /// Creates a ticket.
    public init(id: TicketID, draw: DrawID, balls: Balls) {
        (self.id, self.draw, self.balls) = (id, draw, balls)
    }

    /// Compares the balls with those of a draw. The order of the balls does not matter.
    public func result(in draw: Draw) -> TicketResult {
        TicketResult(
            matches: balls.numbers.map(draw.balls.numbers.contains),
            isBonusMatched: balls.bonus == draw.balls.bonus)
    }
}

/// A ticket's result in a draw.
public struct TicketResult: Hashable, Sendable {
    /// For each ball on the ticket, in order: whether it was drawn.
    public let matches: [Bool]
    /// Whether the bonus ball matches.
    public let isBonusMatched: Bool

    /// Creates a result.
    public init(matches: [Bool], isBonusMatched: Bool) {
        (self.matches, self.isBonusMatched) = (matches, isBonusMatched)
    }

    /// The number of balls that match, not counting the bonus ball.
    public var matchCount: Int { matches.count { $0 } }
}
