import Games
import Ledger
import TapcardDomain

extension SQLiteRows {
    func ticket(_ id: TicketID) throws(LedgerError) -> SoldTicket? {
        try tickets(where: "id = ?", [.text(id.text)]).first
    }

    func ticket(of operation: OperationID) throws(LedgerError) -> SoldTicket? {
        try tickets(where: "operation = ?", [.id(operation)]).first
    }

    func tickets(on uid: CardUID?) throws(LedgerError) -> [SoldTicket] {
        guard let uid else { return try tickets(where: "TRUE ORDER BY position", []) }
        return try tickets(where: "uid = ? ORDER BY position", [.uid(uid)])
    }

    func insert(_ sold: SoldTicket) throws(LedgerError) {
        let balls = sold.ticket.balls
        try connection.run(
            """
            INSERT INTO ticket (id, uid, operation, draw, balls, bonus, price, bought_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(sold.ticket.id.text), .uid(sold.card), .id(sold.operation),
                .text(sold.ticket.draw.text),
                .text(balls.numbers.map(String.init).joined(separator: " ")),
                .integer(Int64(balls.bonus)), .integer(sold.price), .time(sold.boughtAt),
            ])
    }

    private func tickets(
        where condition: String, _ values: [SQLValue]
    ) throws(LedgerError) -> [SoldTicket] {
        try connection.query(
            """
            SELECT \(Ticket.columns), uid, operation, price, bought_at FROM ticket
            WHERE \(condition)
            """, values
        ) { row throws(LedgerError) in
            SoldTicket(
                try Ticket(&row), card: try row.value(\.uid), operation: try row.value(\.id),
                price: try row.value(\.integer), boughtAt: try row.value(\.time))
        }
    }
}

extension Ticket {
    private static let names = ["id", "draw", "balls", "bonus"]
    fileprivate static let columns = names.joined(separator: ", ")
    /// The columns for a statement that joins other tables.
    static let qualifiedColumns = names.map { "ticket.\($0)" }.joined(separator: ", ")

    fileprivate init(_ row: inout Columns) throws(LedgerError) {
        guard let ticket = try Ticket(joined: &row) else { throw Columns.unreadable }
        self = ticket
    }

    /// Nil where no ticket was joined.
    init?(joined row: inout Columns) throws(LedgerError) {
        let id = try row.optional { $0.text.flatMap(TicketID.init) }
        let draw = try row.optional { $0.text.flatMap(DrawID.init) }
        let numbers = try row.optional(\.text)
        let bonus = try row.optional { $0.integer.flatMap(Int.init(exactly:)) }
        guard let id, let draw, let numbers, let bonus else { return nil }
        let read = numbers.split(separator: " ", omittingEmptySubsequences: false).map { Int($0) }
        guard let balls = Balls(kept: read.compactMap { $0 }, bonus: bonus),
            balls.numbers.count == read.count
        else { throw Columns.unreadable }
        self.init(id: id, draw: draw, balls: balls)
    }
}
