import TapcardDomain
import Testing

@Suite("Prizes of a lottery ticket")
struct PrizeTests {
    static func ticket(_ numbers: [Int], _ bonus: Int) throws -> Ticket {
        Ticket(
            id: try #require(TicketID("ticket-1")), draw: try #require(DrawID("draw-1")),
            balls: try Balls(numbers, bonus: bonus))
    }

    static func standard() throws -> PrizeTable {
        try PrizeTable(parsing: PrizeTable.standardText, .usd)
    }

    @Test("Six balls match in any position, and the bonus only matches the bonus")
    func matching() throws {
        let draw = try LotteryTests.draw("draw-1", "2023-05-15")
        let same = try Self.ticket([52, 47, 44, 23, 16, 2], 14).result(in: draw)
        #expect(same.matches == [true, true, true, true, true, true] && same.isBonusMatched)
        let some = try Self.ticket([1, 2, 3, 16, 4, 14], 52).result(in: draw)
        #expect(some.matches == [false, true, false, true, false, false])
        #expect(some.matchCount == 2 && !some.isBonusMatched)
    }

    typealias Row = (numbers: [Int], bonus: Int, prize: String?)
    static let rows: [Row] = [
        ([2, 16, 23, 44, 47, 52], 1, "4000000000.00"),
        ([2, 16, 23, 44, 47, 52], 14, "4000000000.00"),
        ([2, 16, 23, 44, 47, 1], 14, "100000.00"),
        ([2, 16, 23, 44, 47, 1], 3, "1750.00"),
        ([2, 16, 23, 44, 1, 3], 14, "140.00"),
        ([2, 16, 23, 1, 3, 4], 5, "30.00"),
        ([2, 16, 1, 3, 4, 5], 14, nil),
        ([1, 3, 4, 5, 6, 7], 14, nil),
    ]

    @Test("A ticket wins the prize in the table for its balls", arguments: rows)
    func prizes(row: Row) throws {
        let draw = try LotteryTests.draw("draw-1", "2023-05-15")
        let won = try Self.standard().prize(
            of: try Self.ticket(row.numbers, row.bonus), in: draw, .whole)
        #expect(won?.description == row.prize)
    }

    @Test("The top prize may be in minor units, never overflows, and may be nothing")
    func topPrize() throws {
        var draw = try LotteryTests.draw("draw-1", "2023-05-15")
        let ticket = try Self.ticket([2, 16, 23, 44, 47, 52], 14)
        let table = try Self.standard()
        #expect(table.prize(of: ticket, in: draw, .minor)?.description == "40000000.00")
        draw = Draw(id: draw.id, date: draw.date, balls: draw.balls, topPrize: .max)
        #expect(table.prize(of: ticket, in: draw, .whole)?.minorUnits == .max)
        draw = Draw(id: draw.id, date: draw.date, balls: draw.balls, topPrize: 0)
        #expect(table.prize(of: ticket, in: draw, .whole) == nil, "nothing is no prize")
    }

    @Test("A prize table is written as it is read")
    func text() throws {
        let table = try PrizeTable(parsing: "3=30, 6=top 2+bonus=4.50", .usd)
        #expect(table.description == "6=top 3=30.00 2+bonus=4.50")
        #expect(try PrizeTable(parsing: table.description, .usd) == table)
    }

    @Test(
        "A malformed prize table is refused",
        arguments: [
            "", " ", "6", "6=", "=5", "6=top=1", "21=5", "-1=5", "6+bonus+bonus=5", "6+extra=5",
            "x=5", "6=0", "6=-1", "6=1.234", "6=5 6=7", "6=NaN", "6=99999999999999999999",
        ])
    func malformed(text: String) {
        #expect(throws: Refusal(.badAmount, "")) { try PrizeTable(parsing: text, .usd) }
    }
}
