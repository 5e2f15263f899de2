import OperatingSystem
import TestSupport
import Testing

@Suite("The lottery, with the service in a process of its own", .ownThread)
struct LotteryStoryTests {
    /// Every ticket wins five dollars.
    private static let generous = [
        "TAPCARD_JSON": "true", "TAPCARD_PRIZES": "6=5 5=5 4=5 3=5 2=5 1=5 0=5",
    ]

    @Test(
        "a ticket is bought, drawn, checked and paid once",
        arguments: Thoroughness.some(["NTAG213", "NTAG215", "NTAG424"], of: 2))
    func ticket(chip: String) throws {
        let till = try Till(Self.generous)
        try till.step("sim put \(chip)")
        try till.step("issue --balance 20")
        let services = try PlayedServices(till)
        let bought = try services.step("ticket buy")
        #expect(bought.contains("\"balance\":\"18.00\""))
        let id = String(try #require(bought.firstMatch(of: /"(ticket-[0-9a-f]{12})"/)).output.1)
        #expect(try services.step("ticket check").contains(id))
        let early = try services.run("ticket claim")
        #expect(early.status == 4 && early.output.contains("\"error\":\"nothing-won\""))
        try services.draw()
        #expect(try services.step("tickets").contains(id))
        #expect(try services.step("ticket claim").contains("\"balance\":\"23.00\""))
        _ = try services.run("ticket claim")
        #expect(try till.step("read").contains("\"balance\":\"23.00\""))
        #expect(try till.step("history").matches(of: /"kind":"claim"/).count == 1)
        #expect(try till.step("audit").contains(#""open":0,"violations":[]"#))
    }

    @Test("the same request twice is one ticket")
    func replayed() throws {
        let till = try Till(Self.generous)
        try till.step("issue --balance 20")
        let services = try PlayedServices(till)
        let line = "ticket buy --operation 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f60"
        let first = try services.step(line)
        let second = try services.step(line)
        #expect(second == first.replacing("\"replayed\":false", with: "\"replayed\":true"))
        #expect(try till.step("read").contains("\"balance\":\"18.00\""))
    }

    @Test("without the service the draws are still there, with their age")
    func offline() throws {
        let till = try Till(Self.generous)
        try till.step("issue --balance 20")
        let services = try PlayedServices(till)
        let fresh = try services.step("draws")
        #expect(fresh.contains("\"age\":0"))
        try services.stop()
        let old = try services.step("draws")
        #expect(old.contains("\"id\":\"draw-1\""))
        let refused = try services.run("ticket buy")
        #expect(refused.status == 8, "\(refused.output)")
        #expect(try till.step("read").contains("\"balance\":\"20.00\""))

        try DurableFile("\(till.data)/cache/draws").write([])
        let lost = try services.run("draws")
        #expect(lost.status == 8 && lost.output.contains("\"error\":\"service-unreachable\""))
        let others = try PlayedServices(till)
        #expect(try others.step("draws").contains("\"id\":\"draw-1\""))
    }

    @Test("a lottery that starts again at its address is accepted when an operator says so")
    func begunAnew() throws {
        let till = try Till(["TAPCARD_JSON": "true"])
        try till.step("issue --balance 20")
        let first = try PlayedServices(till)
        let port = String(try #require(first.address.split(separator: ":").last))
        try first.draw()
        #expect(try first.step("draws").contains("\"id\":\"draw-5\""))
        try first.stop()
        // Each sandbox begins with the same four draws.
        let second = try PlayedServices(till, ["--port", port])
        let old = try second.step("draws")
        #expect(old.contains("\"id\":\"draw-5\"") && old.contains("\"stale\":\"gone-back\""))
        let refused = try second.run("ticket buy")
        #expect(refused.status == 8 && refused.output.contains("\"error\":\"service-gone-back\""))
        #expect(refused.output.contains("tapcard draws --forget"))
        try second.fail("lottery:503")
        let failed = try second.run("draws --forget")
        #expect(failed.status == 8 && failed.output.contains("Nothing was forgotten."))
        try second.fail("none")
        #expect(try second.step("draws").contains("\"id\":\"draw-5\""))
        let anew = try second.step("draws --forget")
        #expect(!anew.contains("\"id\":\"draw-5\"") && anew.contains("\"stale\":null"))
        #expect(try second.step("ticket buy").contains("\"draw\":\"draw-5\""))
        try second.stop()
    }

    @Test(
        "an answer that is none charges nothing, and says which rule it broke",
        arguments: Thoroughness.some(
            [
                ("cut-off", "service-cut-off"), ("huge", "service-too-large"),
                ("huge-unannounced", "service-too-large"), ("not-json", "service-not-json"),
                ("wrong-shape", "service-wrong-shape"), ("redirect", "service-redirected"),
                ("400", "service-refused"), ("404", "service-refused"), ("500", "service-broken"),
                ("503", "service-broken"), ("bad-balls", "service-bad-balls"),
                ("duplicate-balls", "service-bad-balls"), ("bad-date", "service-bad-date"),
                ("slow=60", "service-timed-out"),
            ], of: 4))
    func failures(failure: String, word: String) throws {
        let till = try Till(Self.generous)
        try till.step("issue --balance 20")
        let services = try PlayedServices(till, ["--fail", "lottery:\(failure)"])
        for line in ["draws", "ticket buy"] {
            let ended = try services.run(line)
            #expect(
                ended.status == 8 && ended.output.contains("\"error\":\"\(word)\""),
                "\(ended.output)")
        }
        #expect(try till.step("read").contains("\"balance\":\"20.00\""))
        #expect(try till.step("history").matches(of: /"kind"/).count == 1)
    }
}
