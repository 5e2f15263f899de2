import IdleDrivers
import Ledger
import Tags
import TapcardDomain
import Testing
import Verbs

@Suite("Lottery draws on the command line")
struct DrawCommandTests {
    private typealias Ended = ProgramBench.Ended
    private static let table = """
        Draw    Date        Balls              Bonus       Top prize
        draw-3  2023-05-29  34 21  4 58  1 15     51  $6000000000.00
        draw-2  2023-05-22   5 45 51 32 24 18     28  $6000000000.00
        draw-1  2023-05-15   2 16 23 44 47 52     14  $4000000000.00

        """

    @Test("Draws are listed in a table, newest first")
    func list() async throws {
        let bench = try ProgramBench(services: try FakeLottery.example().services)
        #expect(await bench.run("draws") == Ended(status: 0, text: DrawCommandTests.table))
        let none = try ProgramBench(services: try FakeLottery([]).services)
        #expect(
            await none.run("draws")
                == Ended(status: 0, text: "No draw has taken place yet.\n"))
    }

    @Test("Cached draws are shown with their age and the reason")
    func stale() async throws {
        let lottery = try FakeLottery.example()
        let bench = try ProgramBench(services: lottery.services)
        for (age, words) in [
            (0, "0 seconds"), (1, "1 second"), (59, "59 seconds"), (60, "1 minute"),
            (3 * 60 + 59, "3 minutes"), (3_600, "1 hour"), (86_399, "23 hours"),
            (86_400, "1 day"), (1_000_000, "11 days"),
        ] {
            try lottery.vanish(age: age)
            #expect(
                await bench.run("draws")
                    == Ended(
                        status: 0,
                        text: DrawCommandTests.table
                            + "This information was cached \(words) ago and is shown because the "
                            + "lottery did not respond.\n"))
        }
        try lottery.vanish(.broken, age: 1)
        #expect(
            await bench.run("draws").text.hasSuffix(
                "ago and is shown because the lottery's service failed.\n"))
        try lottery.vanish(.notJSON, age: 7)
        #expect(
            await bench.run("draws")
                == Ended(
                    status: 0,
                    text: DrawCommandTests.table
                        + "This information was cached 7 seconds ago and is shown because the "
                        + "lottery's response could not be used (nobody listens).\n"))
        let document = await bench.run("draws --json")
        #expect(document.text.hasPrefix(#"{"result":"done","age":7,"#))
        #expect(document.text.hasSuffix(#""stale":"not-json"}"# + "\n"))
    }

    @Test("A list that lost draws is ignored until an operator runs draws --forget")
    func begunAnew() async throws {
        let lottery = try FakeLottery.example()
        let bench = try ProgramBench(services: lottery.services)
        let offline = try ProgramBench()
        #expect(
            await offline.run("draws --forget").text
                == "! tapcard: The service could not be used: there is no network. Any cached list "
                + "was kept. Try again later.\n")
        try lottery.goBack()
        #expect(
            await bench.run("draws").text
                == DrawCommandTests.table
                + "This information was cached 5 seconds ago and is shown because the lottery's "
                + "list lost draws (its list of draws has gone back); use tapcard draws --forget "
                + "if the lottery has been reset.\n")
        let refused = await bench.run("ticket claim")
        #expect(
            refused.status == 8 && refused.text.contains("been reset, run tapcard draws --forget")
        )
        let forgotten = await bench.run("draws --forget")
        #expect(forgotten.status == 0 && !forgotten.text.contains("draw-3"), "\(forgotten.text)")
        #expect(await bench.run("draws") == forgotten)
    }

    @Test("A cached list that cannot be deleted is kept, and the error says why")
    func cacheRemovalError() async throws {
        let lottery = try FakeLottery.example()
        lottery.answer(
            Fetched(try lottery.draws().value, cacheRemovalError: "/cache/draws: Permission denied")
        )
        let bench = try ProgramBench(services: lottery.services)
        #expect(
            await bench.run("draws --forget")
                == Ended(
                    status: 1,
                    text:
                        "! tapcard: The cached list of draws could not be deleted: /cache/draws: "
                        + "Permission denied. Any cached list was kept. Get permission to "
                        + "write to the cache folder, then run the command again.\n"))
    }

    @Test("Without an answer or a cached list, draws and tickets fail with status 8")
    func nothing() async throws {
        let bench = try ProgramBench()
        for line in ["draws", "draws show draw-1", "tickets"] {
            let ended = await bench.run(line)
            #expect(ended.status == 8)
            #expect(
                ended.text
                    == "! tapcard: The service could not be used: there is no network. No data "
                    + "is available. Try again later.\n")
        }
    }

    @Test("Listing draws needs neither a reader nor a ledger")
    func alone() async throws {
        let bench = try ProgramBench(services: try FakeLottery.example().services)
        let failures = ProgramBench.Failures(
            reader: .init(.noReader, "none"), ledger: LedgerError(.corrupt, "it burned"))
        #expect(
            await bench.run("draws", failing: failures)
                == Ended(status: 0, text: DrawCommandTests.table))
    }

    @Test("A single draw is shown with its neighbors")
    func show() async throws {
        let bench = try ProgramBench(services: try FakeLottery.example().services)
        let second = """
            Draw draw-2 of 2023-05-22
            Balls: 5 45 51 32 24 18
            Bonus ball: 28
            Top prize: $6000000000.00
            Next: draw-3 of 2023-05-29
            Previous: draw-1 of 2023-05-15

            """
        for line in ["draw-2", "draw-1 --next", "draw-3 --previous"] {
            #expect(await bench.run("draws show \(line)") == Ended(status: 0, text: second))
        }
        #expect(
            await bench.run("draws show draw-1").text.hasSuffix(
                """
                Next: draw-2 of 2023-05-22
                Previous: none, this is the oldest

                """))
        #expect(
            await bench.run("draws show draw-3").text.hasSuffix(
                """
                Next: none yet, this is the newest
                Previous: draw-2 of 2023-05-22

                """))
        #expect(
            await bench.run("draws show draw-1 --json").text
                == #"""
                {"result":"done","age":0,"draw":{"id":"draw-1","date":"2023-05-15",\#
                "balls":[2,16,23,44,47,52],"bonus":14,"topPrize":"4000000000.00"},\#
                "next":"draw-2","previous":null,"stale":null}

                """#)
    }

    @Test(
        "A missing draw, an invalid name, and conflicting options are refused",
        arguments: [
            ("draw-3 --next", 4, "There is no draw after draw-3, the newest one in the list."),
            ("draw-1 --previous", 4, "There is no draw before draw-1, the oldest one in the list."),
            ("draw-1 --next --previous", 2, "--next and --previous together"),
            ("dräw", 2, "is not a draw ID (such as draw-1)"),
        ])
    func refused(words: String, status: Int32, message: String) async throws {
        let bench = try ProgramBench(services: try FakeLottery.example().services)
        let ended = await bench.run("draws show \(words)")
        #expect(ended.status == status && ended.text.contains(message), "\(ended.text)")
    }

    @Test("The top prize counts whole units by default and minor units if so set")
    func topPrize() async throws {
        let bench = try ProgramBench(services: try FakeLottery.example().services)
        let minor = await bench.run("draws", ["TAPCARD_TOP_PRIZE_UNIT": "minor"])
        #expect(minor.text.contains("14  $40000000.00\n"), "\(minor.text)")
        // The ledger's own currency comes first: here it cannot be asked.
        let failures = ProgramBench.Failures(ledger: LedgerError(.locked, "busy"))
        let yen = await bench.run("draws", failing: failures, ["TAPCARD_CURRENCY": "JPY"])
        #expect(yen.text.contains("14  ¥4000000000\n"), "\(yen.text)")
    }
}
