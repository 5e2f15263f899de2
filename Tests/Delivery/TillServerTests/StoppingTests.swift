import Testing
import TextCodecs

@Suite("Stopping an operation", .timeLimit(.minutes(5)))
struct StoppingTests {
    private static let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let path = "/api/v1/operations/\(id)"
    private static let pay = #"{"amount":"4.50","operation":"\#(id)"}"#

    @Test("A stopped payment stays stopped, even if a card arrives at that moment")
    func concurrently() async throws {
        try await TillServerBench.withCard { bench in
            try await bench.takeCard()
            let books = try await bench.books()
            let page = try await EventListener(bench)
            async let paid = bench.call("pay", Self.pay)
            _ = try await page.next("operation", phase: "waiting")
            await bench.reader.putWhenStopped()
            let stopped = try await bench.ask("DELETE", Self.path)
            #expect(stopped.status == 202, "\(stopped.text)")
            #expect(stopped.json["phase"]?.string == "failed")
            #expect(try await paid.word == "cancelled")
            #expect(try await bench.books() == books)
            #expect(try await bench.ask("DELETE", Self.path).status == 202)
        }
    }

    @Test("Stopping a retry of a payment that was already begun is too late")
    func begunBefore() async throws {
        try await TillServerBench.withCard { bench in
            await bench.reader.holdWrites(true)
            let page = try await EventListener(bench)
            async let torn = bench.call("pay", Self.pay)
            _ = try await page.next("operation", phase: "writing")
            try await bench.reader.take()
            await bench.reader.holdWrites(false)
            #expect(try await torn.word == "outcome-unknown")
            async let again = bench.call("pay", Self.pay)
            _ = try await page.next("operation", phase: "waiting")
            let stopped = try await bench.ask("DELETE", Self.path)
            #expect(stopped.status == 409 && stopped.word == "too-late", "\(stopped.text)")
            #expect(try await again.word == "outcome-unknown")
            // The wait has ended all the same.
            #expect(try await bench.ask("DELETE", Self.path).status == 409)
        }
    }

    @Test("Stopping a completed payment is too late")
    func happened() async throws {
        try await TillServerBench.withCard { bench in
            #expect(try await bench.call("pay", Self.pay).status == 200)
            let stopped = try await bench.ask("DELETE", Self.path)
            #expect(stopped.status == 409 && stopped.word == "too-late")
            #expect(stopped.json["meaning"]?.string == "It was successful.")
        }
    }
}
