import IdleDrivers
import Ledger
import SimulatedReader
import Tags
import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("Tickets and prizes on the command line")
struct TicketPrizeTests {
    private typealias Ended = ProgramBench.Ended
    @Test("Tickets on cards and at the lottery are listed as upcoming or drawn")
    func sections() async throws {
        let lottery = try FakeLottery.example(tickets: [
            FakeLottery.ticket("ticket-1", "draw-1", [2, 16, 23, 44, 47, 52], 14),
            FakeLottery.ticket("ticket-2", "draw-2", [5, 45, 51, 1, 2, 3], 4),
            FakeLottery.ticket("ticket-3", "draw-9", [5, 45, 51, 1, 2, 3], 4),
        ])
        let (bench, _) = try await ProgramBench.withTicket(lottery)
        #expect(
            await bench.run("tickets")
                == Ended(
                    status: 0,
                    text: """
                        Upcoming
                        ticket-6bfffbf1fa13  draw-4  card 04AC6B72BA6C80    6   9  14  36  50  54  + 44
                        ticket-3             draw-9  kept by the lottery    5  45  51   1   2   3  +  4
                        Drawn
                        ticket-2  draw-2 2023-05-22  kept by the lottery  [ 5][45][51]  1   2   3  +  4   won $30.00  3 of 6
                        ticket-1  draw-1 2023-05-15  kept by the lottery  [ 2][16][23][44][47][52] +(14)  won $4000000000.00  6 of 6 and the bonus

                        """))
        try lottery.draw(FakeLottery.won(bonus: 44))
        let drawn = await bench.run("tickets --card 04AC6B72BA6C80")
        #expect(
            drawn
                == Ended(
                    status: 0,
                    text: """
                        Upcoming
                        none
                        Drawn
                        ticket-6bfffbf1fa13  draw-4 2023-06-05  [ 6][ 9] 14 [36] 50  54  +(44)  won $30.00, not claimed yet  3 of 6 and the bonus

                        """))
        let document = await bench.run("tickets --json --card 04AC6B72BA6C80")
        #expect(
            document.text
                == #"""
                {"result":"done","age":0,"upcoming":[],"drawn":[{"id":"ticket-6bfffbf1fa13",\#
                "draw":"draw-4","balls":[{"number":6,"match":"yes"},{"number":9,"match":"yes"},\#
                {"number":14,"match":"no"},{"number":36,"match":"yes"},{"number":50,"match":"no"},\#
                {"number":54,"match":"no"}],"bonus":{"number":44,"match":"yes"},"won":true,\#
                "prize":"30.00","claimed":false,"claim":"card","date":"2023-06-05","uid":"04AC6B72BA6C80"}],\#
                "stale":null}

                """#)
    }

    @Test("Tickets are listed before the first card exists, but not for an unknown card")
    func noLedger() async throws {
        let lottery = try FakeLottery.example(tickets: [
            FakeLottery.ticket("ticket-3", "draw-9", [5, 45, 51, 1, 2, 3], 4)
        ])
        let bench = try ProgramBench(services: lottery.services)
        let failures = ProgramBench.Failures(
            ledger: LedgerError(.unavailable, "there is no ledger"))
        let shown = await bench.run("tickets", failing: failures)
        #expect(shown.status == 0 && shown.text.contains("ticket-3  draw-9"), "\(shown.text)")
        // One that was named is missed.
        for line in ["tickets --ledger /nonexistent/l", "tickets --card 04AC6B72BA6C80"] {
            #expect(await bench.run(line, failing: failures).status == 9)
        }
        let broken = ProgramBench.Failures(ledger: LedgerError(.corrupt, "it burned"))
        #expect(await bench.run("tickets", failing: broken).status == 9)
        let unknown = await bench.run("tickets --card 04010203040506")
        #expect(unknown.status == 4)
        #expect(unknown.text.contains("Card 04010203040506 is not in this ledger"))
        #expect(await bench.run("tickets --card 1").status == 2)
    }

    @Test("Tickets on cards are still listed if the lottery fails to list its own")
    func halfAnswer() async throws {
        let (bench, lottery) = try await ProgramBench.withTicket()
        lottery.failTickets(.wrongShape)
        let ended = await bench.run("tickets")
        #expect(ended.status == 8)
        #expect(ended.text.hasPrefix("Upcoming\nticket-6bfffbf1fa13"), "\(ended.text)")
        #expect(ended.text.contains("! tapcard: The service could not be used: "))
        let document = try await bench.document("tickets")
        #expect(document["error"]?.string == "service-wrong-shape")
        #expect(document["upcoming"]?.array?.count == 1)
        #expect(await bench.run("tickets --card 04AC6B72BA6C80").status == 0)
    }

    @Test("Tickets on a card are checked against cached draws if the lottery does not answer")
    func check() async throws {
        let (bench, lottery) = try await ProgramBench.withTicket()
        try lottery.draw(FakeLottery.won())
        try lottery.vanish(.timedOut, age: 7_200)
        #expect(
            await bench.run("ticket check")
                == Ended(
                    status: 0,
                    text: """
                        Card 04AC6B72BA6C80: 1 ticket
                        Upcoming
                        none
                        Drawn
                        ticket-6bfffbf1fa13  draw-4 2023-06-05  [ 6][ 9] 14 [36] 50  54  + 44   won $30.00, not claimed yet  3 of 6
                        Claim it: tapcard ticket claim
                        This information was cached 2 hours ago and is shown because the lottery did not respond.

                        """))
        let document = try await bench.document("ticket check")
        #expect(document["uid"]?.string == "04AC6B72BA6C80")
        #expect(document["age"]?.numberText == "7200")
        #expect(document["stale"]?.string == "timed-out")
        #expect(document["drawn"]?.array?.first?["prize"]?.string == "30.00")
        #expect(await bench.run("ticket check --card 04010203040506").status == 4)
    }

    @Test("Closing a card names its unclaimed tickets, and no advice to claim them follows")
    func givenUp() async throws {
        let (bench, _) = try await ProgramBench.withTicket(in: FakeLottery.won())
        let closed = await bench.run("close")
        let words =
            "Unclaimed lottery tickets now void: 1 (draw-4: 1). Their prizes can never be "
            + "claimed.\nTo see whether they won, run: tapcard tickets --card 04AC6B72BA6C80\n"
        #expect(closed.status == 0 && closed.text.hasSuffix(words), "\(closed.text)")
        for line in ["ticket check", "tickets", "tickets --card 04AC6B72BA6C80"] {
            let shown = await bench.run(line).text
            #expect(shown.contains("won $30.00, can no longer be claimed  3 of 6\n"), "\(shown)")
            #expect(!shown.contains("Claim it"))
            let drawn = try await bench.document(line)["drawn"]?.array?.first
            #expect(drawn?["claim"]?.string == "never" && drawn?["claimed"]?.bool == false)
        }
        #expect(!(await bench.run("issue --reissue")).text.contains("never"))
    }

    @Test("A card without tickets is said to have none, and a tag without a card is refused")
    func checkNone() async throws {
        let bench = try ProgramBench(services: try FakeLottery.example().services)
        _ = await bench.run("keys list")
        #expect(await bench.run("ticket check").status == 4)
        _ = await bench.run("demo --quiet")
        #expect(
            await bench.run("ticket check")
                == Ended(status: 0, text: "Card 04AC6B72BA6C80: no tickets\n"))
        let offline = try ProgramBench()
        #expect(await offline.run("ticket check").status == 8)
    }

    @Test("A prize is claimed once, and not before its draw")
    func claim() async throws {
        let (bench, lottery) = try await ProgramBench.withTicket()
        for line in ["ticket claim", "ticket claim \(ProgramBench.ticket)"] {
            let early = await bench.run(line + " --json")
            #expect(early.status == 4 && early.text.contains(#""error":"nothing-won""#))
        }
        try lottery.draw(FakeLottery.won())
        try lottery.vanish(age: 60)
        func ended(_ first: String, _ before: String) -> Ended {
            Ended(
                status: 0,
                text: """
                    \(first), $48.00 left
                    ticket-6bfffbf1fa13  draw-4 2023-06-05  won $30.00\(before)
                    Card 04AC6B72BA6C80
                    This information was cached 1 minute ago and is shown because the lottery did not respond.

                    """)
        }
        #expect(await bench.run("ticket claim") == ended("Claimed $30.00", ""))
        for line in ["ticket claim", "ticket claim \(ProgramBench.ticket)"] {
            #expect(
                await bench.run(line) == ended("Nothing new to claim", ", claimed earlier"))
        }
        let document = try await bench.document("ticket claim")
        let prize = document["prizes"]?.array?.first
        #expect(document["balance"]?.string == "48.00" && document["replayed"]?.bool == true)
        #expect(prize?["ticket"]?.string == ProgramBench.ticket)
        #expect(prize?["draw"]?.string == "draw-4" && prize?["amount"]?.string == "30.00")
        #expect(prize?["replayed"]?.bool == true && prize?["operation"]?.string?.count == 36)
        #expect(await bench.run("tickets").text.contains("won $30.00, claimed  3 of 6\n"))
        let checked = await bench.run("ticket check").text
        #expect(checked.contains("won $30.00, claimed") && !checked.contains("ticket claim"))
        #expect(await bench.run("audit").status == 0)
    }

    @Test("No prize is booked while the lottery's list has lost draws")
    func claimGoneBack() async throws {
        let (bench, lottery) = try await ProgramBench.withTicket(in: FakeLottery.won())
        let here = try lottery.draws()
        try lottery.goBack()
        let refused = await bench.run("ticket claim")
        #expect(refused.status == 8, "\(refused.text)")
        #expect(
            refused.text.contains("No prize was recorded")
                && refused.text.contains("has gone back"),
            "\(refused.text)")
        #expect(try await bench.document("read")["balance"]?.string == "18.00")
        // To look at it is harmless.
        #expect(await bench.run("ticket check").text.contains("has gone back"))
        lottery.answer(here)
        #expect(try await bench.document("ticket claim")["balance"]?.string == "48.00")
    }

    @Test("No ticket is sold from a list that lacks the draw of a claimed prize")
    func claimedAndForgotten() async throws {
        let (bench, lottery) = try await ProgramBench.withTicket(in: FakeLottery.won())
        #expect(await bench.run("ticket claim --quiet").status == 0)
        try lottery.forget()
        let again = await bench.run("ticket claim")
        #expect(again.status == 0, "\(again.text)")
        #expect(
            again.text.contains("ticket-6bfffbf1fa13  draw-4  won $30.00, claimed earlier\n"),
            "\(again.text)")
        for line in ["ticket buy", "ticket buy --draw draw-5"] {
            let refused = await bench.run(line)
            #expect(refused.status == 8, "\(refused.text)")
            #expect(
                refused.text.contains("its list of draws ends before draw-4,")
                    && refused.text.contains("nothing was charged")
                    && refused.text.contains("with a card that has no such prize")
                    && !refused.text.contains("--forget"), "\(refused.text)")
        }
        #expect(try await bench.document("read")["balance"]?.string == "48.00")
        let checked = try await bench.document("ticket check")
        #expect(checked["upcoming"]?.array?.isEmpty == true)
        #expect(checked["drawn"]?.array?.first?["prize"]?.string == "30.00")
        #expect(await bench.run("ticket check").text.contains("won $30.00, claimed\n"))
        // A prize older than the lottery's own list does not prevent a sale.
        lottery.answer(
            Fetched(
                try DrawList([FakeLottery.draw("draw-9", "2023-07-10", [1, 2, 3, 4, 5, 6], 7, 1)]))
        )
        #expect(
            try await bench.document("ticket buy")["ticket"]?["draw"]?.string == "draw-10")
        #expect(await bench.run("audit").status == 0)
    }

    @Test("A claim that a pulled card left open is booked and listed with earlier prizes")
    func claimTorn() async throws {
        let (bench, lottery) = try await ProgramBench.withTicket(in: FakeLottery.won())
        #expect(await bench.run("ticket claim --quiet").status == 0)
        _ = await bench.run("ticket buy --quiet")
        try lottery.draw(
            FakeLottery.draw("draw-5", "2023-06-12", [1, 2, 3, 4, 5, 6], 7, 50))
        let prizes = ["TAPCARD_PRIZES": "6=5 5=5 4=5 3=5 2=5 1=5 0=5"]
        try await bench.arm(Fault(at: 4, counting: .write, .torn(.unchanged)))
        #expect(await bench.run("ticket claim", prizes).status == 6)
        try await bench.arm(nil)
        let resolved = await bench.run("ticket claim", prizes)
        #expect(resolved.status == 0)
        #expect(resolved.text.hasPrefix("Claimed $5.00, $51.00 left\n"), "\(resolved.text)")
        #expect(resolved.text.contains("won $5.00\n"))
        #expect(resolved.text.contains("won $30.00, claimed earlier\n"))
        let again = try await bench.document("ticket claim", prizes)
        #expect(again["replayed"]?.bool == true)
        #expect(again["prizes"]?.array?.map { $0["replayed"]?.bool } == [true, true])
        #expect(await bench.run("audit").status == 0)
    }

    @Test("A losing ticket, an unknown ticket, and another card bring no prize")
    func nothingWon() async throws {
        let (bench, _) = try await ProgramBench.withTicket(
            in: FakeLottery.won([9, 6, 1, 2, 3, 4], bonus: 44))
        let lost = await bench.run("ticket check").text
        #expect(lost.contains("+(44)  not won  2 of 6 and the bonus\n"), "\(lost)")
        for (line, status, words) in [
            ("ticket claim", 4, "No ticket on this card has won a prize in a known draw."),
            ("ticket claim ticket-1", 4, "ticket-1 does not belong to card"),
            ("ticket claim --card 04010203040506", 4, "04AC6B72BA6C80"),
            ("ticket claim tick\"et", 2, "is not a ticket ID. Nothing was done."),
        ] as [(String, Int32, String)] {
            let ended = await bench.run(line)
            #expect(ended.status == status && ended.text.contains(words), "\(ended.text)")
        }
        #expect(try await bench.document("read")["balance"]?.string == "18.00")
    }

    @Test("Prizes that fit on the card are claimed, and the rest is refused")
    func limit() async throws {
        let (bench, lottery) = try await ProgramBench.withTicket()
        _ = await bench.run("ticket buy --quiet")
        let prizes = [
            "TAPCARD_PRIZES": "6=30 3=999990 2=10 1=5 0=1",
            "TAPCARD_BALANCE_LIMIT": "999999.99",
        ]
        try lottery.draw(FakeLottery.won())
        let claimed = await bench.run("ticket claim", prizes)
        #expect(claimed.status == 4)
        #expect(claimed.text.contains("spend some of the balance"), "\(claimed.text)")
        #expect(claimed.text.hasPrefix("Claimed $"), "\(claimed.text)")
        #expect(await bench.run("audit").status == 0)
    }

    @Test("Prizes follow the prize table and the top prize unit that are set")
    func prizes() async throws {
        let (bench, _) = try await ProgramBench.withTicket(in: FakeLottery.wonAll(50))
        #expect(
            await bench.run("tickets").text.contains("won $50.00, not claimed yet  6 of 6 and"))
        let minor = ["TAPCARD_TOP_PRIZE_UNIT": "minor"]
        #expect(await bench.run("tickets", minor).text.contains("won $0.50, not claimed yet"))
        let none = ["TAPCARD_PRIZES": "3=1"]
        #expect(await bench.run("tickets", none).text.contains("not won  6 of 6 and the bonus"))
    }
}
