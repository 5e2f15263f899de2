import IdleDrivers
import Ledger
import SimulatedReader
import Tags
import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("Buying tickets on the command line")
struct TicketCommandTests {
    private typealias Ended = ProgramBench.Ended

    @Test("A ticket is for the draw after the last one and is paid from the card")
    func buy() async throws {
        let (bench, _) = try await ProgramBench.withCard()
        let bought = await bench.run("ticket buy --operation \(ProgramBench.purchase)")
        #expect(
            bought
                == Ended(
                    status: 0,
                    text: """
                        Bought ticket-6bfffbf1fa13 for draw-4
                        6 9 14 36 50 54 + 44
                        Paid $2.00, $18.00 left
                        Card 04AC6B72BA6C80, operation \(ProgramBench.purchase)

                        """))
        #expect(
            await bench.run("read").text.contains(
                "Ticket ticket-6bfffbf1fa13 for draw-4: 6 9 14 36 50 54 + 44\n"))
        #expect(await bench.run("audit").status == 0)
    }

    @Test("A ticket can be bought for a named draw")
    func named() async throws {
        let (bench, _) = try await ProgramBench.withCard()
        let bought = try await bench.document("ticket buy --draw draw-9")
        #expect(bought["ticket"]?["draw"]?.string == "draw-9")
    }

    @Test("No ticket is sold from a stale list of draws, even for a named draw")
    func stale() async throws {
        let (bench, lottery) = try await ProgramBench.withCard()
        for kind in ServiceError.Kind.allCases where kind != .cancelled {
            try lottery.vanish(kind, age: 150)
            for line in ["ticket buy", "ticket buy --draw draw-9"] {
                // It is not even asked for a card.
                let failures = ProgramBench.Failures(reader: ReaderError(.noReader, "none"))
                let ended = await bench.run(line, failing: failures)
                #expect(ended.status == 8)
                #expect(
                    ended.text.contains(
                        "No ticket was sold and nothing was charged, because the saved list of "
                            + "draws is 2 minutes old, and tickets are sold only from an "
                            + "up-to-date list."
                    ), "\(ended.text)")
            }
        }
        let offline = try ProgramBench()
        _ = await offline.run("issue --balance 20 --quiet")
        let ended = await offline.run("ticket buy")
        #expect(ended.status == 8)
        #expect(ended.text.contains("No ticket was sold and nothing was charged."))
        for bench in [bench, offline] { try await expectNothing(on: bench) }
    }

    @Test(
        "No ticket is sold for a draw that is over, does not exist, or has an invalid name",
        arguments: [
            ("draw-0", "draw-over", "Draw draw-0 is over; the next one is draw-4."),
            ("draw-04", "no-such-draw", "Draw draw-04 is unknown or too far in the future"),
            ("dr\"aw", "usage", "is not a draw ID (such as draw-1)"),
        ])
    func noDraw(name: String, error: String, words: String) async throws {
        let (bench, _) = try await ProgramBench.withCard()
        let ended = try await bench.document("ticket buy --draw=\(name)")
        #expect(ended["result"]?.string == (error == "usage" ? "usage" : "refused"))
        #expect(ended["error"]?.string == error)
        #expect(ended["message"]?.string?.contains(words) == true, "\(ended.text)")
        try await expectNothing(on: bench)
    }

    @Test("No ticket is sold without a known draw, enough balance, and the right card")
    func refused() async throws {
        let (first, _) = try await ProgramBench.withCard(FakeLottery([]))
        for line in ["ticket buy", "ticket buy --draw draw-1"] {
            let none = try await first.document(line)
            #expect(none["result"]?.string == "refused")
            #expect(none["error"]?.string == "no-draw-known")
            let message = none["message"]?.string ?? ""
            #expect(message.hasPrefix("No draw has taken place yet, so"), "\(message)")
        }
        try await expectNothing(on: first)

        let (bench, _) = try await ProgramBench.withCard()
        let dear = await bench.run("ticket buy", ["TAPCARD_TICKET_PRICE": "20.01"])
        #expect(dear.status == 4 && dear.text.contains("tapcard add"), "\(dear.text)")
        let other = await bench.run("ticket buy --card 04010203040506")
        #expect(other.status == 4 && other.text.contains("04AC6B72BA6C80"), "\(other.text)")
        try await expectNothing(on: bench)
        #expect(await bench.run("ticket buy", ["TAPCARD_TICKET_PRICE": "20"]).status == 0)
    }

    @Test("A draw held while waiting for the card moves the ticket to the next draw")
    func drawnMeanwhile() async throws {
        let hours = Recording()
        let (bench, lottery) = try await ProgramBench.withCard {
            hours.append("an hour")
            return ProgramBench.now.adding(milliseconds: Int64(hours.count) * 3_600_000)
        }
        try lottery.drawLater(FakeLottery.lost())
        let bought = try await bench.document("ticket buy")
        #expect(bought["ticket"]?["draw"]?.string == "draw-5")
    }

    @Test("A retry gets the ticket that was bought first, even if draws or settings changed")
    func retried() async throws {
        let (bench, lottery) = try await ProgramBench.withCard()
        let line = "ticket buy --operation \(ProgramBench.purchase)"
        let first = try await bench.document(line)
        #expect(first["replayed"]?.bool == false)
        try lottery.draw(FakeLottery.lost())
        try lottery.vanish(age: 5)
        let dear = ["TAPCARD_TICKET_PRICE": "3", "TAPCARD_LOTTERY_BALLS": "5"]
        let again = try await bench.document(line, dear)
        #expect(again["replayed"]?.bool == true)
        #expect(again["ticket"]?.text == first["ticket"]?.text)
        #expect(again["balance"]?.string == "18.00")
        #expect(await bench.run(line).text.contains("(already done; balance at that time)\n"))
        let mismatched = await bench.run(line + " --draw draw-9")
        #expect(mismatched.status == 2)
        #expect(await bench.run("audit").status == 0)
    }

    @Test("A purchase that was written to a pulled card is booked even after its draw")
    func tornAndDrawn() async throws {
        let (bench, lottery) = try await ProgramBench.withCard()
        let line = "ticket buy --operation \(ProgramBench.purchase)"
        try await bench.interrupt(line, by: Fault(at: 4, counting: .write, .acknowledgeLost))
        try lottery.draw(FakeLottery.lost())
        let again = try await bench.document(line)
        // It is this tap that has booked it.
        #expect(again["replayed"]?.bool == false && again["balance"]?.string == "18.00")
        #expect(try await bench.document(line)["replayed"]?.bool == true)
        #expect(try await bench.document("tickets")["drawn"]?.array?.count == 1)
        #expect(await bench.run("audit").status == 0)
    }

    @Test("An unfinished purchase is voided once its draw is over, and its id stays used")
    func tornBefore() async throws {
        let (bench, lottery) = try await ProgramBench.withCard()
        let line = "ticket buy --operation \(ProgramBench.purchase)"
        try await bench.interrupt(line, by: Fault(at: 1, counting: .write, .torn(.unchanged)))
        // The winning numbers are known by now.
        try lottery.draw(
            FakeLottery.draw("draw-4", "2023-06-05", [6, 9, 14, 36, 50, 54], 44, 1))
        let late = await bench.run(line)
        #expect(late.status == 4, "\(late.text)")
        #expect(
            late.text.contains(
                "Draw draw-4 has already taken place. The payment was not taken. The card was not charged. "
                    + "To buy one now: tapcard ticket buy"), "\(late.text)")
        let spent = try await bench.document(line)
        #expect(spent["error"]?.string == "operation-voided")
        try await expectNothing(on: bench)
    }

    @Test("A retry without the card says that the purchase is open, even after its draw")
    func retriedWithoutCard() async throws {
        let (bench, lottery) = try await ProgramBench.withCard()
        let line = "ticket buy --operation \(ProgramBench.purchase)"
        try await bench.arm(Fault(at: 4, counting: .write, .acknowledgeLost))
        #expect(await bench.run(line).status == 6)
        try lottery.draw(FakeLottery.lost())
        try await bench.reader.change { world in
            world.fault = nil
            world.put([])
        }
        let away = await bench.run(line + " --timeout 0")
        #expect(away.status == 6, "\(away.text)")
        #expect(
            away.text.contains("Ticket purchase \(ProgramBench.purchase) is still open."),
            "\(away.text)")
        try await bench.arm(nil)
        #expect(await bench.run(line + " --draw draw-9").status == 2)
        #expect(try await bench.document(line)["balance"]?.string == "18.00")
        #expect(await bench.run("audit").status == 0)
    }

    @Test("An offline lottery leaves a purchase open, to be finished later")
    func retriedWithoutLottery() async throws {
        let (bench, lottery) = try await ProgramBench.withCard()
        let line = "ticket buy --operation \(ProgramBench.purchase)"
        try await bench.interrupt(line, by: Fault(at: 1, counting: .write, .torn(.unchanged)))
        for kind in ServiceError.Kind.allCases where kind != .cancelled {
            let here = try lottery.draws()
            try lottery.vanish(kind, age: 5)
            let away = await bench.run(line)
            #expect(away.status == 6, "\(away.text)")
            #expect(
                away.text.contains("Ticket purchase \(ProgramBench.purchase) is still open."),
                "\(away.text)")
            lottery.answer(here)
        }
        let bought = try await bench.document(line)
        #expect(bought["balance"]?.string == "18.00" && bought["replayed"]?.bool == false)
        #expect(bought["ticket"]?["id"]?.string == "ticket-6bfffbf1fa13")
        #expect(await bench.run("audit").status == 0)
    }

    @Test(
        "A purchase is voided only if the list of draws shows that its draw is over",
        arguments: [[], ["draw-3", "raffle-1"], ["draw-200"], ["raffle-9"]])
    func retriedWithoutDraws(names: [String]) async throws {
        let (bench, lottery) = try await ProgramBench.withCard()
        let line = "ticket buy --draw draw-9 --operation \(ProgramBench.purchase)"
        try await bench.interrupt(line, by: Fault(at: 1, counting: .write, .torn(.unchanged)))
        let here = try lottery.draws()
        let draws = try names.map {
            try FakeLottery.draw($0, "2023-06-05", [1, 2, 3, 4, 5, 6], 7, 1)
        }
        lottery.answer(Fetched(try DrawList(draws)))
        let isOver = names == ["draw-200"]
        let open = try await bench.document(line)
        #expect(open["error"]?.string == (isOver ? "operation-voided" : "outcome-unknown"))
        #expect(open["message"]?.string?.contains("is still open.") == !isOver, "\(open.text)")
        lottery.answer(here)
        guard !isOver else { return try await expectNothing(on: bench) }
        let bought = try await bench.document(line)
        #expect(bought["balance"]?.string == "18.00" && bought["replayed"]?.bool == false)
        #expect(await bench.run("audit").status == 0)
    }

    @Test("A purchase that was torn before its write is voided at the next tap, which says so")
    func voided() async throws {
        let (bench, _) = try await ProgramBench.withCard()
        try await bench.interrupt(
            "ticket buy", by: Fault(at: 1, counting: .write, .torn(.unchanged)))
        let reading = await bench.run("read")
        #expect(
            reading.text.contains(
                "Resolved: the interrupted ticket purchase of $2.00 did not go through."),
            "\(reading.text)")
        try await expectNothing(on: bench)
    }

    private func expectNothing(on bench: ProgramBench) async throws {
        #expect(try await bench.document("read")["balance"]?.string == "20.00")
        let ledger = try await bench.document("tickets --card 04AC6B72BA6C80")
        if ledger["result"]?.string == "done" {
            #expect(ledger["upcoming"]?.array?.isEmpty == true)
            #expect(ledger["drawn"]?.array?.isEmpty == true)
        }
        #expect(await bench.run("audit").status == 0)
    }
}
