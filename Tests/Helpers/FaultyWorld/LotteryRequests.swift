import Ledger
package import TapcardCore
package import TapcardDomain

/// A lottery in which the first ticket wins, and prices and prizes never change.
extension Station {
    package func buyTicket(id: OperationID) async throws(TapcardError) -> TicketReceipt {
        try await buyTicket(
            draw: Station.draw, price: Station.price, rules: .standard, id: id)
    }

    /// A purchase whose random balls are a function of the ledger.
    package func purchase(id: OperationID) -> TicketPurchase {
        guard let balls = try? balls(under: .standard) else {
            preconditionFailure("chance deals balls")
        }
        return TicketPurchase(
            Ticket(id: TicketID(boughtBy: id), draw: Station.draw, balls: balls),
            Station.price, id)
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

    fileprivate static func results(
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

    private static let price = Money(minorUnits: 300, .usd)

    private static var draw: DrawID {
        guard let draw = DrawID("draw-1") else { preconditionFailure("the name is a good one") }
        return draw
    }
}

extension Claiming {
    /// A claim after a draw of the balls of the world's first ticket.
    package init(wonBy world: RestingWorld) {
        let (drawn, prizes) = Station.results(of: world, .usd)
        self.init(drawn: drawn, prizes: prizes, topPrizeUnit: .whole)
    }
}
