import IdleDrivers
import TapcardDomain
import Testing
import Verbs

@Suite("Activating a scratch code on the command line")
struct ActivateCommandTests {
    @Test(
        "A service failure exits with status 8 and leaves the code activating",
        arguments: ServiceError.Kind.allCases.filter { $0 != .cancelled })
    func failed(kind: ServiceError.Kind) async throws {
        let service = FakeActivation(.failure(ServiceError(kind, "the answer burned")))
        let bench = try await ProgramBench.withScratchedCard(services: service.services)
        let before = await bench.run("read --json --no-resolve").text
        let ended = await bench.run("activate")
        #expect(ended.status == 8, "\(ended.text)")
        #expect(ended.text.contains("the answer burned"), "\(ended.text)")
        #expect(before.contains(#""state":"scratched""#))
        #expect(service.questionCount == 1)
        // Only the service knows whether it counts: until it answers the card is activating.
        let after = await bench.run("read --json").text
        #expect(after == before.replacing(#""state":"scratched""#, with: #""state":"activating""#))
        #expect(await bench.run("read").text.contains("Scratch card: activating, code 0"))
        #expect(ended.text.contains("The card stays in the \"activating\" state"))
        // What answers there need not be the service: then the address is to be looked at.
        let isOfOthers: [ServiceError.Kind] = [
            .redirected, .refused, .notHTTP, .notJSON, .wrongShape,
        ]
        #expect(
            ended.text.contains("the activation-url setting may be wrong")
                == isOfOthers.contains(kind), "\(ended.text)")
        #expect(ended.text.contains("will send the same code again"))
    }

    @Test("The history lists each attempt and its answer, and the audit lists unanswered cards")
    func listed() async throws {
        let service = FakeActivation(.success(.refused(version: "6.1")))
        let bench = try await ProgramBench.withScratchedCard(services: service.services)
        _ = await bench.run("activate --operation \(Self.id(1))")
        service.answer(.failure(ServiceError(.notJSON, "a page")))
        _ = await bench.run("activate --operation \(Self.id(2))")
        let card = "04AC6B72BA6C80"
        let open = await bench.run("audit")
        #expect(
            open.text == """
                Cards: 1; operations: 2; unfinished: none; rules: all hold
                The activation request for card \(card) was never answered, so its outcome is \
                unknown; put that card on the reader and run: tapcard activate

                """)
        #expect(open.status == 0)
        let audit = await bench.run("audit --json").text
        #expect(audit.contains(#""violations":[],"activating":["\#(card)"],"#), "\(audit)")
        let asked = await bench.run("history --card \(card)").text.split(separator: "\n")
        #expect(
            asked.map { $0.dropFirst(37).split(separator: "  ").first } == [
                "issue", "scratch", "service: refused (version 6.1)",
                "service: no response",
            ])
        service.answer(.success(.active))
        _ = await bench.run("activate --operation \(Self.id(3))")
        let text = await bench.run("history").text
        #expect(text.contains("  service: accepted  "), "\(text)")
        #expect(!text.contains("no response"))
        // The answer is found under the later id, too.
        let attempt = try #require(
            text.split(separator: "\n").first { $0.contains("service: accepted") })
        let id = try #require(attempt.split(separator: " ").last)
        #expect(text.contains("\(Self.id(3))  answers request \(id)\n"), "\(text)")
        #expect(await bench.run("audit --json").text.contains(#""activating":[],"#))
        let json = await bench.run("history --json").text
        let times = #""at":"2023-11-14T22:13:20Z","answered":"2023-11-14T22:13:20Z"}"#
        let first = #"{"operation":"\#(Self.id(1))","uid":"\#(card)","code":"0"#
        #expect(json.contains(#""activations":[\#(first)"#), "\(json)")
        #expect(json.contains(#""state":"rejected","version":"6.1",\#(times),{"#), "\(json)")
        #expect(json.contains(#""state":"active","version":null,\#(times)]}"#), "\(json)")
    }

    private static func id(_ number: Int) -> String {
        "00000000-0000-4000-8000-00000000000\(number)"
    }

    @Test("Interrupting an activation keeps its answer, and the next tap writes it to the card")
    func left() async throws {
        let service = HeldActivation()
        let bench = try await ProgramBench.withScratchedCard(services: service.services)
        let work = Task { await bench.run("activate --verbose") }
        await service.waitForQuestion()
        work.cancel()
        service.answer(.active)
        let ended = await work.value
        #expect(ended.status == 6)
        #expect(
            ended.text.hasSuffix(
                """
                ! tapcard: asking the activation service
                ! tapcard: request already sent; stopping once the response is recorded
                ! tapcard: Canceled. The service activated the code, and the ledger recorded it. The card itself has not been updated yet. Tap the card again to write it.

                """), "\(ended.text)")
        let reading = await bench.run("read")
        #expect(reading.text.contains("Scratch card: activated, code 0"), "\(reading.text)")
        #expect(reading.text.contains("Resolved: the interrupted activation was completed."))
        #expect(await bench.run("audit").status == 0)
    }

    @Test("A process that is ended at once says that the activation is still open")
    func endNow() async throws {
        let service = HeldActivation()
        let bench = try await ProgramBench.withScratchedCard(services: service.services)
        for line in ["activate", "activate --json"] {
            let work = Task { await bench.run(line) }
            await service.waitForQuestion()
            work.cancel()
            let said = bench.endNow()
            let words =
                "Stopped while waiting for the service to respond. The service may or may "
                + "not have activated the code; the activation stays open. Run tapcard activate "
                + "again; it sends the same code, so repeating it is safe."
            #expect(
                said
                    == (line == "activate"
                        ? "! tapcard: \(words)\n"
                        : #"{"result":"unknown","error":"outcome-unknown","message":"\#(words)","#
                            + #""uid":null,"operation":null,"resolved":[],"#
                            + #""next":[{"step":"activate-again"}]}"# + "\n"))
            service.answer(line == "activate" ? .refused(version: "6") : .active)
            #expect(await work.value.status != 0)
            // Work that has ended speaks for itself.
            #expect(bench.endNow() == "")
        }
        _ = await bench.run("read --quiet")
        let done = Task { await bench.run("pay 0.01 --quiet") }
        #expect(await done.value.status == 4 && bench.endNow() == "")
    }

    @Test(
        "A terminal shows that the code is being activated, then a check mark",
        .timeLimit(.minutes(1)))
    func terminal() async throws {
        let service = HeldActivation()
        let bench = try await ProgramBench.withScratchedCard(
            isTerminal: true, services: service.services)
        let work = Task { await bench.run("activate") }
        await service.waitForQuestion()
        try await bench.waitForOutput(" Activating")
        service.answer(.active)
        let text = await work.value.text
        #expect(text.contains("\u{1B}[32m✓\u{1B}[0m Activated: Amanda Gonzalez"), "\(text)")
    }
}
