import Ledger
package import TapcardCore
package import TapcardDomain

/// A lottery in which the first ticket wins, and a ticket costs and wins always the same.
extension Station {
    package func buyTicket(id: OperationID) async throws(TapcardError) -> TicketReceipt {
        try await buyTicket(
            draw: Station.draw, price: Money(minorUnits: 300, currency), rules: .standard, id: id)
    }

    /// Claims on the day on which the balls of the world's tickets are drawn: of every ticket the
    /// same ones, as chance has dealt them, or of all but the first others.
    package func claimTickets(wonBy world: RestingWorld) async throws(TapcardError) -> PrizeReceipt
    {
        let (drawn, prizes) = Station.results(of: world, currency)
        return try await claimTickets(drawn: drawn, prizes: prizes, topPrizeUnit: .whole)
    }

    /// Pays out the prize of the world's first ticket on that day.
    package func payOutPrize(
        wonBy world: RestingWorld, id: OperationID
    ) async throws(TapcardError) -> PrizeReceipt {
        guard let ticket = world.ledger.tickets.first?.ticket.id else {
            preconditionFailure("the world has a ticket")
        }
        let (drawn, prizes) = Station.results(of: world, currency)
        return try await payOutPrize(
            of: ticket, drawn: drawn, prizes: prizes, topPrizeUnit: .whole, id: id)
    }

    private static func results(
        of world: RestingWorld, _ currency: Currency
    ) -> (DrawList, PrizeTable) {
        guard let balls = world.ledger.tickets.first?.ticket.balls,
            let date = CalendarDate("2026-11-21"),
            let drawn = try? DrawList([
                Draw(id: Station.draw, date: date, balls: balls, topPrize: 0)
            ]), let prizes = try? PrizeTable(parsing: "6=12.50", currency)
        else { preconditionFailure("there is a ticket, and the table is a good one") }
        return (drawn, prizes)
    }

    private static var draw: DrawID {
        guard let draw = DrawID("draw-1") else { preconditionFailure("the name is a good one") }
        return draw
    }
}
