import TapcardDomain
import Testing
import Verbs

@Suite("Draws and tickets on a terminal")
struct LotteryLookTests {
    private static let wide = 80
    private static let small = 40

    private func lottery() throws -> FakeLottery {
        try FakeLottery.example(tickets: [
            FakeLottery.ticket("ticket-1", "draw-1", [2, 16, 1, 44, 3, 4], 14),
            FakeLottery.ticket("ticket-2", "draw-9", [2, 16, 1, 44, 3, 4], 14),
            FakeLottery.ticket("ticket-3", "draw-9", [1, 2, 3, 4, 5, 6], 7),
        ])
    }

    /// The final screen of a run, without the spinner.
    private func screen(
        _ line: String, _ columns: Int, _ lottery: FakeLottery,
        _ environment: [String: String] = ["NO_COLOR": "1"]
    ) async throws -> String {
        let bench = try ProgramBench(
            isTerminal: true, columns: columns, services: lottery.services)
        let ended = await bench.run(line, environment)
        #expect(ended.status == 0)
        // The spinner's line is cleared before the result.
        let parts = ended.text.split(separator: "! \r\u{1B}[K")
        return String(parts.last ?? "")
    }

    @Test("Draws take one row each on a wide terminal and two lines each on a narrow one")
    func draws() async throws {
        #expect(
            try await screen("draws", LotteryLookTests.wide, lottery())
                == """
                Draw    Date        Balls              Bonus       Top prize
                draw-3  2023-05-29  34 21  4 58  1 15     51  $6000000000.00
                draw-2  2023-05-22   5 45 51 32 24 18     28  $6000000000.00
                draw-1  2023-05-15   2 16 23 44 47 52     14  $4000000000.00

                """)
        #expect(
            try await screen("draws", LotteryLookTests.small, lottery())
                == """
                draw-3  2023-05-29  $6000000000.00
                  34 21 4 58 1 15 + 51
                draw-2  2023-05-22  $6000000000.00
                  5 45 51 32 24 18 + 28
                draw-1  2023-05-15  $4000000000.00
                  2 16 23 44 47 52 + 14

                """)
    }

    @Test("A single draw is shown with large balls that fit the terminal")
    func oneDraw() async throws {
        #expect(
            try await screen("draws show draw-1", LotteryLookTests.wide, lottery())
                == """
                Draw draw-1 of 2023-05-15
                ╭────╮ ╭────╮ ╭────╮ ╭────╮ ╭────╮ ╭────╮ ╔════╗
                │  2 │ │ 16 │ │ 23 │ │ 44 │ │ 47 │ │ 52 │ ║ 14 ║
                ╰────╯ ╰────╯ ╰────╯ ╰────╯ ╰────╯ ╰────╯ ╚════╝
                Top prize: $4000000000.00
                Next: draw-2 of 2023-05-22
                Previous: none, this is the oldest

                """)
        #expect(
            try await screen("draws show draw-1", LotteryLookTests.small, lottery())
                == """
                Draw draw-1 of 2023-05-15
                ╭──╮ ╭──╮ ╭──╮ ╭──╮ ╭──╮ ╭──╮ ╔══╗
                │ 2│ │16│ │23│ │44│ │47│ │52│ ║14║
                ╰──╯ ╰──╯ ╰──╯ ╰──╯ ╰──╯ ╰──╯ ╚══╝
                Top prize: $4000000000.00
                Next: draw-2 of 2023-05-22
                Previous: none, this is the oldest

                """)
    }

    @Test("Tickets put matching numbers in brackets and say in words what they won")
    func tickets() async throws {
        #expect(
            try await screen("tickets", LotteryLookTests.wide, lottery())
                == """
                Upcoming
                ticket-2  draw-9  kept by the lottery
                    2  16   1  44   3   4  + 14
                ticket-3  draw-9  kept by the lottery
                    1   2   3   4   5   6  +  7
                Drawn
                ticket-1  draw-1 2023-05-15  kept by the lottery
                  [ 2][16]  1 [44]  3   4  +(14)  won $30.00  3 of 6 and the bonus

                """)
        let offline = try lottery()
        try offline.vanish(age: 180)
        #expect(
            try await screen("tickets", LotteryLookTests.small, offline)
                == """
                Upcoming
                ticket-2  draw-9  kept by the lottery
                    2  16   1  44   3   4  + 14
                ticket-3  draw-9  kept by the lottery
                    1   2   3   4   5   6  +  7
                Drawn
                ticket-1  draw-1 2023-05-15
                  kept by the lottery
                  [ 2][16]  1 [44]  3   4  +(14)
                  won $30.00  3 of 6 and the bonus
                This information was cached 3 minutes
                ago and is shown because the lottery did
                not respond.

                """)
    }

    @Test("Matches are green, misses are red, and the bonus is gold")
    func colors() async throws {
        let text = try await screen("tickets", LotteryLookTests.wide, lottery(), [:])
        for colored in [
            "\u{1B}[32m[16]\u{1B}[0m", "\u{1B}[31m  3 \u{1B}[0m", "\u{1B}[33m(14)\u{1B}[0m",
            "\u{1B}[32mwon $30.00\u{1B}[0m",
        ] { #expect(text.contains(colored), "\(text)") }
        // What is not drawn yet has no color.
        #expect(text.contains("\n    2  16   1  44   3   4  + 14\n"))
    }

    @Test("No line is wider than the terminal, even with 20 balls", arguments: [40, 53, 80, 132])
    func widths(columns: Int) async throws {
        let rules = try LotteryRules(ballCount: 20, highest: 999)
        let balls = (0..<20).map { 100 + $0 * 7 }
        let lottery = try FakeLottery([
            FakeLottery.draw("draw-1", "2023-05-15", balls, 999, .max, under: rules),
            FakeLottery.draw("draw-2", "2023-05-22", balls, 998, 0, under: rules),
        ])
        let bench = try ProgramBench(
            isTerminal: true, columns: columns,
            services: lottery.services)
        let variables = ["TAPCARD_LOTTERY_BALLS": "20", "TAPCARD_LOTTERY_HIGHEST": "999"]
        _ = await bench.run("issue --balance 20 --quiet", variables)
        try lottery.vanish(age: 0)
        let stale = ["draws", "draws show draw-1", "tickets", "ticket check"]
        for line in stale {
            let text = await bench.run(line + " --no-color", variables).text
            let printed = text.split(separator: "! \r\u{1B}[K").last ?? ""
            for line in printed.split(separator: "\n") {
                #expect(line.count <= columns, "\(line)")
            }
        }
    }
}
