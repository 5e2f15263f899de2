import TapcardCore
import TapcardDomain
import Testing

/// A lottery in which a test decides who wins.
extension Station {
    func buy(
        _ id: OperationID, draw: String = "draw-1", price: Int64 = 200
    ) async throws(TapcardError) -> TicketReceipt {
        guard let draw = DrawID(draw) else { preconditionFailure("the name is a good one") }
        return try await buyTicket(
            draw: draw, price: World.usd(price), rules: .standard, id: id)
    }
}

extension World {
    func buy(
        _ id: UInt64, draw: String = "draw-1", price: Int64 = 200
    ) async throws(TapcardError) -> TicketReceipt {
        try await station.buy(World.id(id), draw: draw, price: price)
    }

    /// A draw with all of this ticket's balls.
    func draw(like ticket: Ticket, top: Int64) throws -> Draw {
        Draw(
            id: ticket.draw, date: try #require(CalendarDate("2026-11-21")), balls: ticket.balls,
            topPrize: top)
    }
}
