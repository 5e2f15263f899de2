package import TapcardDomain

extension SoldTicket {
    package static let columns = "\(Ticket.columns), uid, operation, price, bought_at"

    package var values: [SQLValue] {
        [
            .text(ticket.id.text), .text(ticket.draw.text),
            .text(ticket.balls.numbers.map(String.init).joined(separator: " ")),
            .integer(Int64(ticket.balls.bonus)), .uid(card), .id(operation), .integer(price),
            .time(boughtAt),
        ]
    }

    package init(_ row: inout Columns) throws(LedgerError) {
        self.init(
            try Ticket(&row), card: try row.value(\.uid), operation: try row.value(\.id),
            price: try row.value(\.units), boughtAt: try row.value(\.time))
    }
}

extension Ticket {
    private static let names = ["id", "draw", "balls", "bonus"]
    fileprivate static let columns = names.joined(separator: ", ")
    /// The columns for a statement that joins other tables.
    package static let qualifiedColumns = names.map { "ticket.\($0)" }.joined(separator: ", ")

    fileprivate init(_ row: inout Columns) throws(LedgerError) {
        guard let ticket = try Ticket(joined: &row) else { throw Columns.unreadable }
        self = ticket
    }

    /// Parses a joined ticket; nil if none was joined.
    package init?(joined row: inout Columns) throws(LedgerError) {
        let id = try row.optional { $0.text.flatMap(TicketID.init) }
        let draw = try row.optional { $0.text.flatMap(DrawID.init) }
        let numbers = try row.optional(\.text)
        let bonus = try row.optional { $0.integer.flatMap(Int.init(exactly:)) }
        guard let id, let draw, let numbers, let bonus else { return nil }
        // Empty parts are kept, so that text with extra spaces is rejected below.
        let read = numbers.split(separator: " ", omittingEmptySubsequences: false).map { Int($0) }
        guard let balls = Balls(stored: read.compactMap { $0 }, bonus: bonus),
            balls.numbers.count == read.count
        else { throw Columns.unreadable }
        self.init(id: id, draw: draw, balls: balls)
    }
}
