import TapcardDomain
import TestSupport
import Testing

@Suite("The lottery")
struct LotteryTests {
    static func draw(_ id: String, _ date: String) throws -> Draw {
        Draw(
            id: try #require(DrawID(id)), date: try #require(CalendarDate(date)),
            balls: try Balls([2, 16, 23, 44, 47, 52], bonus: 14), topPrize: 4_000_000_000)
    }

    @Test(
        "Balls with a wrong count, a repetition or a number out of range are refused",
        arguments: [
            ([2, 16, 23, 44, 47], 14), ([2, 16, 23, 44, 47, 52, 53], 14), ([], 14),
            ([0, 16, 23, 44, 47, 52], 14), ([2, 16, 23, 44, 47, 60], 14),
            ([-2, 16, 23, 44, 47, 52], 14), ([2, 2, 23, 44, 47, 52], 14),
            ([2, 16, 23, 44, 47, 52], 52), ([2, 16, 23, 44, 47, 52], 0),
            ([2, 16, 23, 44, 47, 52], 60), ([2, 16, 23, 44, 47, .max], 14),
        ])
    func impossible(numbers: [Int], bonus: Int) {
        #expect(throws: Refusal(.badBalls, "")) { try Balls(numbers, bonus: bonus) }
    }

    @Test("A lottery may have other sizes, and impossible ones are refused")
    func sizes() throws {
        let rules = try LotteryRules(ballCount: 5, highest: 50)
        #expect(try Balls([1, 2, 3, 4, 50], bonus: 5, under: rules).bonus == 5)
        #expect(throws: Refusal(.badBalls, "")) {
            try Balls([1, 2, 3, 4, 51], bonus: 5, under: rules)
        }
        for (count, highest) in [(0, 59), (-1, 59), (6, 6), (6, 0), (21, 59), (6, 1_000)] {
            #expect(throws: Refusal(.badBalls, "")) {
                try LotteryRules(ballCount: count, highest: highest)
            }
        }
        #expect(try LotteryRules(ballCount: 6, highest: 59) == .standard)
    }

    @Test("A draw never repeats a ball, whatever the random numbers")
    func drawing() throws {
        for seed in 0..<200 {
            var chance = SeededGenerator(seed: UInt64(seed))
            let balls = try Balls.drawn(under: .standard) { chance.below($0) }
            #expect(balls.numbers == balls.numbers.sorted())
            #expect(Set(balls.numbers + [balls.bonus]).count == 7)
        }
        // The smallest pool is used up to its last ball.
        let tight = try LotteryRules(ballCount: 6, highest: 7)
        let all = try Balls.drawn(under: tight) { $0 - 1 }
        #expect(Set(all.numbers + [all.bonus]) == Set(1...7))
    }

    @Test("Draws are listed newest first, with their neighbors, and duplicates are refused")
    func order() throws {
        let list = try DrawList([
            Self.draw("draw-1", "2023-05-15"), Self.draw("draw-10", "2023-05-22"),
            Self.draw("draw-9", "2023-05-22"), Self.draw("draw-2", "2022-01-01"),
        ])
        #expect(list.draws.map(\.id.text) == ["draw-10", "draw-9", "draw-1", "draw-2"])
        let ids = list.draws.map(\.id)
        #expect(list.next(after: ids[0]) == nil)
        #expect(list.previous(before: ids[0])?.id == ids[1])
        #expect(list.next(after: ids[3])?.id == ids[2])
        #expect(list.previous(before: ids[3]) == nil)
        #expect(list[ids[2]]?.date.description == "2023-05-15")
        let unknown = try #require(DrawID("draw-7"))
        #expect(list[unknown] == nil && list.next(after: unknown) == nil)
        #expect(throws: Refusal(.badDraw, "")) {
            try DrawList([Self.draw("draw-1", "2023-05-15"), Self.draw("draw-1", "2023-05-16")])
        }
    }

    @Test("Tickets are sold only for the next draw or one to come")
    func upcoming() throws {
        let list = try DrawList([
            Self.draw("draw-8", "2023-05-15"), Self.draw("draw-9", "2023-05-22"),
        ])
        #expect(try list.upcoming().text == "draw-10")
        #expect(try list.upcoming(named: "draw-10").text == "draw-10")
        #expect(try list.upcoming(named: "draw-61").text == "draw-61")
        let refused: [(Refusal.Rule, [String])] = [
            (.drawOver, ["draw-9", "draw-8", "draw-7", "draw-0"]),
            (
                .noSuchDraw,
                [
                    "draw-62", "draw-010", "draw", "raffle-10", "raffle-7", "draw--10",
                    "draw-99999999999999999999",
                ]
            ),
            (.badDraw, ["", "draw 10", "draw-\u{1B}[31m", String(repeating: "d", count: 41)]),
        ]
        for (rule, names) in refused {
            for name in names {
                #expect(throws: Refusal(rule, ""), "\(name)") { try list.upcoming(named: name) }
            }
        }
        for name in [nil, "draw-1", "draw 1"] {
            #expect(throws: Refusal(.noDrawKnown, "")) { try DrawList([]).upcoming(named: name) }
        }
        #expect(throws: Refusal(.badDraw, "")) {
            try DrawList([Self.draw("first", "2023-05-15")]).upcoming()
        }
    }

    @Test(
        "The next draw is named in the style of the known ones",
        arguments: [
            (["draw-007"], "draw-008"), (["draw-099", "draw-098"], "draw-100"),
            (["draw-9", "draw-8"], "draw-10"), (["7"], "8"), (["w-52", "w-51", "w-50"], "w-53"),
        ])
    func naming(known: [String], next: String) throws {
        #expect(try Self.list(known).upcoming().text == next)
        #expect(try Self.list(known).upcoming(named: next).text == next)
    }

    @Test(
        "No tickets are sold if the names of draws follow no known rule",
        arguments: [
            ["2023-05-15"], ["d2023-05-15"], ["draw-7", "x-6"], ["x-999999999", "draw-7"],
            ["draw-9", "draw-7"], ["draw-7", "draw-8"], ["draw-8", "draw-07"], ["draw-999999999"],
            ["last"],
        ])
    func unruly(known: [String]) throws {
        let list = try Self.list(known)
        #expect(throws: Refusal(.badDraw, "")) { try list.upcoming() }
        #expect(throws: Refusal(.badDraw, "")) { try list.upcoming(named: "draw-10") }
    }

    /// Draws with these names, newest first, a day apart.
    private static func list(_ names: [String]) throws -> DrawList {
        try DrawList(
            names.enumerated().map { try draw($1, "2023-05-\(28 - $0)") })
    }

    @Test("Draw and ticket ids are read, split, or refused if malformed")
    func names() {
        #expect(DrawID("draw-1")?.parts?.number == 1)
        #expect(DrawID("draw-1")?.parts?.stem == "draw-")
        #expect(DrawID("first")?.parts == nil)
        for text in ["", "a b", "a\"b", "a\\b", "ä", "a\n", String(repeating: "x", count: 41)] {
            #expect(DrawID(text) == nil && TicketID(text) == nil, "\(text)")
        }
        #expect(TicketID("ticket-1")?.description == "ticket-1")
    }
}
