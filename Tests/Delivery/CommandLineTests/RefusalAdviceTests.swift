import Testing
import TextCodecs

@Suite("Advice after a refusal")
struct RefusalAdviceTests {
    private static let topUp = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"

    @Test("Refunding a partly spent top-up names the most that can be refunded, and the command")
    func spentAddition() async throws {
        let bench = try ProgramBench()
        let id = RefusalAdviceTests.topUp
        _ = await bench.run("demo")
        #expect(await bench.run("add 20 --operation \(id)").status == 0)
        #expect(await bench.run("pay 3").status == 0)
        let short = await bench.run("refund \(id)")
        #expect(short.status == 4)
        #expect(
            short.text.hasSuffix(
                "Part of this top-up has been spent, so at most $17.00 can be reversed: tapcard "
                    + "refund \(id) 17.00\n"), "\(short.text)")
        #expect(await bench.run("refund \(id) 17.00").status == 0)
    }

    @Test("A refund that is impossible or already done says so and names the operation")
    func refunds() async throws {
        let bench = try ProgramBench()
        let issue = try await bench.document("issue --balance 20")["operation"]?.string ?? ""
        let refused = await bench.run("refund \(issue)")
        #expect(refused.status == 4)
        #expect(
            refused.text
                == "! tapcard: Operation \(issue) cannot be refunded; only payments, top-ups, "
                + "and sales without a card can be. Nothing was changed, and no money moved. Issuing, converting, or "
                + "replacing a card cannot be refunded. To pay out the card's balance, run: "
                + "tapcard close\n"
        )
        let paid = try await bench.document("pay 5")["operation"]?.string ?? ""
        let refund = try await bench.document("refund \(paid)")["operation"]?.string
        let again = try await bench.document(
            "refund \(paid) --operation \(RefusalAdviceTests.topUp)")
        #expect(again["error"]?.string == "already-refunded")
        #expect(again["operation"]?.string == refund)
        let other = try await bench.document("pay 6 --operation \(paid)")
        #expect(other["error"]?.string == "operation-mismatch")
        #expect(other["operation"]?.string == paid)
    }

    @Test("A payment from before the card was reissued is not refunded")
    func earlierAccount() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("issue --balance 20")
        let paid = try await bench.document("pay 5")["operation"]?.string ?? ""
        #expect(await bench.run("close").status == 0)
        #expect(await bench.run("issue --reissue --balance 20").status == 0)
        #expect(
            await bench.run("refund \(paid)").text
                == "! tapcard: Operation \(paid) was made before the card was reissued and may be "
                + "another person's. Nothing was changed, and no money moved. To see what was "
                + "done on this tag's earlier account, run: tapcard history\n")
        let refused = try await bench.document("refund \(paid)")
        #expect(refused["error"]?.string == "not-refundable")
        #expect(refused["next"]?.array?.map { $0["step"]?.string } == ["show-earlier-account"])
        #expect(try await bench.document("read")["balance"]?.string == "20.00")
    }

    @Test("Unblocking an active or closed card, or paying zero, is answered with the reason")
    func states() async throws {
        let bench = try ProgramBench()
        _ = await bench.run("demo")
        #expect(await bench.run("unblock").text.contains("is already active"))
        #expect(await bench.run("pay 0").text.contains("The amount must be more than 0."))
        _ = await bench.run("close")
        let closed = await bench.run("unblock")
        #expect(closed.status == 4)
        #expect(closed.text.contains("A closed card cannot be unblocked."), "\(closed.text)")
    }

    @Test(
        "A synonym, an extra word, or a group of verbs is refused with a hint",
        arguments: [
            ("undo", #"tapcard has no verb "undo"; did you mean refund? See: tapcard --help"#),
            (
                "pay 5 EUR",
                #"tapcard pay got one argument too many: "EUR". See: tapcard pay --help"#
            ),
            (
                "schema sim",
                #"The word "sim" names a group of verbs. Nothing was done. Run one of these: "#
                    + "tapcard schema sim put, tapcard schema sim take, tapcard schema sim tear, "
                    + "tapcard schema sim list, tapcard schema sim phone."
            ),
        ])
    func words(line: String, complaint: String) async throws {
        let ended = try await ProgramBench().run(line)
        let complaint = complaint.hasPrefix("tapcard") ? complaint : "tapcard: " + complaint
        #expect(ended == ProgramBench.Ended(status: 2, text: "! \(complaint)\n"))
    }

    @Test("Buying a ticket for a past draw is refused with the advice to leave out --draw")
    func pastDraw() async throws {
        let (bench, _) = try await ProgramBench.withCard()
        let over = await bench.run("ticket buy --draw draw-1")
        #expect(over.status == 4)
        #expect(
            over.text.hasSuffix("Leave out --draw to buy a ticket for the next draw.\n"),
            "\(over.text)")
    }
}
