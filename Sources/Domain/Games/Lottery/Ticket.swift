/// A bet on one draw.
public struct Ticket: Hashable, Sendable {
    public let id: TicketID
    public let draw: DrawID
    public let balls: Balls

    public init(id: TicketID, draw: DrawID, balls: Balls) {
        (self.id, self.draw, self.balls) = (id, draw, balls)
    }

    /// Compares the balls with a draw. A ball matches at any place among those of the draw.
    public func result(in draw: Draw) -> TicketResult {
        TicketResult(
            matches: balls.numbers.map(draw.balls.numbers.contains),
            isBonusMatched: balls.bonus == draw.balls.bonus)
    }
}

/// The result of a ticket in a draw.
public struct TicketResult: Hashable, Sendable {
    /// Whether each ball of the ticket matches, in the ticket's order.
    public let matches: [Bool]
    public let isBonusMatched: Bool

    public init(matches: [Bool], isBonusMatched: Bool) {
        (self.matches, self.isBonusMatched) = (matches, isBonusMatched)
    }

    public var matchCount: Int { matches.count { $0 } }
}
