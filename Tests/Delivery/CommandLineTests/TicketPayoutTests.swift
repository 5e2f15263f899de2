import IdleDrivers
import Ledger
import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("Prizes paid in cash on the command line")
struct TicketPayoutTests {
    private typealias Ended = ProgramBench.Ended
    private static let line = "ticket claim \(ProgramBench.ticket) --paid-out"

    @Test("A prize paid in cash is booked once, and its ticket counts as claimed everywhere")
    func paidOut() async throws {
        let (bench, _) = try await ProgramBench.withTicket(in: FakeLottery.wonAll(5_000_000_000))
        let prize = "$5000000000.00"
        for (line, layout) in [("ticket check", ""), ("tickets", "card 04AC6B72BA6C80  ")] {
            let shown = await bench.run(line).text
            let row = "ticket-6bfffbf1fa13  draw-4 2023-06-05  \(layout)[ 6][ 9][14][36][50][54] "
            #expect(
                shown.contains(
                    row
                        + "+(44)  won \(prize), not claimed yet, more than the card can hold  6 of 6 and the bonus\n"
                ), "\(shown)")
            #expect(
                shown.hasSuffix(
                    "pay it out in cash only after this succeeds: tapcard "
                        + "\(Self.line)\n"), "\(shown)")
            #expect(!shown.contains("Claim it"))
            let drawn = try await bench.document(line)["drawn"]?.array?.first
            #expect(drawn?["claim"]?.string == "drawer" && drawn?["claimed"]?.bool == false)
        }
        let claimed = await bench.run("ticket claim")
        #expect(
            claimed.status == 4
                && claimed.text.contains("tapcard \(Self.line), and give the customer the cash"))

        func ended(_ first: String, _ how: String) -> Ended {
            Ended(
                status: 0,
                text: """
                    \(first), $18.00 left
                    ticket-6bfffbf1fa13  draw-4 2023-06-05  won \(prize)\(how)
                    Card 04AC6B72BA6C80

                    """)
        }
        #expect(await bench.run(Self.line) == ended("Prize of \(prize) paid in cash", ""))
        let again = await bench.run(Self.line)
        #expect(again.status == 4)
        #expect(again.text.contains("was already recorded as paid out at "), "\(again.text)")
        let before = ", paid in cash earlier"
        for line in ["ticket claim", "ticket claim \(ProgramBench.ticket)"] {
            #expect(await bench.run(line) == ended("Nothing new to claim", before))
        }
        for line in ["ticket check", "tickets"] {
            let shown = await bench.run(line).text
            #expect(shown.contains("won \(prize), paid in cash  6 of 6"), "\(shown)")
            #expect(!shown.contains("--paid-out") && !shown.contains("Claim it"))
            let drawn = try await bench.document(line)["drawn"]?.array?.first
            #expect(drawn?["claim"]?.string == "paid-out" && drawn?["claimed"]?.bool == true)
        }
        let history = await bench.run("history").text
        #expect(history.hasSuffix("  ticket-6bfffbf1fa13  paid out \(prize)\n"), "\(history)")
        #expect(await bench.run("audit").status == 0)
    }

    @Test("A prize paid in cash is in its JSON document and in the history")
    func document() async throws {
        let (bench, _) = try await ProgramBench.withTicket(in: FakeLottery.won())
        for isReplayed in [false, true] {
            let document = try await bench.document(
                "\(Self.line) --operation 00000000-0000-4000-8000-00000000000a")
            #expect(document["result"]?.string == "done")
            #expect(document["balance"]?.string == "18.00")
            #expect(document["replayed"]?.bool == isReplayed)
            let prize = document["prizes"]?.array?.first
            #expect(prize?["amount"]?.string == "30.00" && prize?["paidOut"]?.bool == true)
            #expect(prize?["replayed"]?.bool == isReplayed)
        }
        let entry = try await bench.document("history")["entries"]?.array?.last
        #expect(entry?["kind"]?.string == "payout" && entry?["state"]?.string == "committed")
        #expect(entry?["amount"] == .null && entry?["balance"]?.string == "18.00")
        #expect(entry?["ticket"]?.string == ProgramBench.ticket)
        #expect(entry?["paidOut"]?.string == "30.00")
        #expect(try await bench.document("read")["balance"]?.string == "18.00")
    }

    @Test("A prize that is unknown or already on the card is not paid in cash")
    func refused() async throws {
        let (bench, lottery) = try await ProgramBench.withTicket()
        for (line, status, words) in [
            (Self.line, 4, "the draw for ticket ticket-6bfffbf1fa13 is not known yet"),
            ("ticket claim ticket-1 --paid-out", 4, "ticket-1 does not belong to card"),
        ] as [(String, Int32, String)] {
            let ended = await bench.run(line)
            #expect(ended.status == status, "\(ended.text)")
            #expect(ended.text.lowercased().contains(words), "\(ended.text)")
        }
        try lottery.draw(FakeLottery.won())
        #expect(await bench.run("ticket claim").status == 0)
        let late = await bench.run(Self.line)
        #expect(late.status == 4, "\(late.text)")
        #expect(
            late.text.contains("was already added to the card by operation ")
                && late.text.contains(
                    "Nothing was recorded this time, so do not pay out any cash."),
            "\(late.text)")
        #expect(try await bench.document(Self.line)["error"]?.string == "already-claimed")
        #expect(try await bench.document("read")["balance"]?.string == "48.00")
        #expect(await bench.run("audit").status == 0)
    }

    @Test("Cash is suggested for a prize only if the card cannot hold it")
    func fullCard() async throws {
        let (bench, _) = try await ProgramBench.withTicket(in: FakeLottery.won())
        let limits = ["TAPCARD_TOP_UP_LIMIT": "999999", "TAPCARD_BALANCE_LIMIT": "999999.99"]
        _ = await bench.run("add 999951.99 --yes --quiet", limits)
        let full = await bench.run("ticket check").text
        #expect(full.contains("tapcard \(Self.line)") == false && full.contains("Claim it"))
        _ = await bench.run("add 0.01 --yes --quiet", limits)
        let fuller = await bench.run("ticket check").text
        #expect(fuller.contains("tapcard \(Self.line)") && !fuller.contains("Claim it"))
        let claimed = await bench.run("ticket claim", limits)
        #expect(claimed.status == 4, "\(claimed.text)")
        #expect(
            claimed.text.contains(
                "spend some of the balance and claim again. Or, to pay it in cash, run tapcard "
                    + "\(Self.line), and give the customer the cash only after it reports success."
            ),
            "\(claimed.text)")
    }
}
