import Testing
import TextCodecs

@Suite("Armed sales", .timeLimit(.minutes(5)))
struct ArmingTests {
    private static let page = "2b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let other = "3b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let next = "1b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"

    private func arm(
        _ bench: TillServerBench, _ id: String = id, by page: String = page,
        _ amount: String = "4.50"
    ) async throws -> Asked {
        let body = #"{"operation":"\#(id)","client":"\#(page)","amount":"\#(amount)"}"#
        return try await bench.call("armed", body)
    }

    /// A bench with a card of 20.00 that has been away for long enough to arrive.
    private func withAbsentCard(
        _ body: (TillServerBench, EventListener) async throws -> Void
    ) async throws {
        try await TillServerBench.withCard { bench in
            try await bench.takeCard()
            let listener = try await EventListener(bench, client: Self.page)
            try await beAbsent()
            try await body(bench, listener)
        }
    }

    /// Waits until a card that comes now counts as arriving.
    private func beAbsent() async throws { try await Task.sleep(for: .milliseconds(1_050)) }

    @Test("An arriving card pays the armed sale once, under its ID")
    func arriving() async throws {
        try await withAbsentCard { bench, page in
            #expect(try await arm(bench).json["armed"]?["operation"]?.string == Self.id)
            #expect(try await page.next("armed")["request"]?["amount"]?.string == "4.50")
            try await bench.reader.put()
            #expect(try await page.next("armed")["ended"]?.string == "paying")
            let paid = try await page.next("operation", phase: "done")
            #expect(paid["operation"]?.string == Self.id && paid["client"]?.string == Self.page)
            #expect(paid["answer"]?["balance"]?.string == "15.50")
            #expect(try await bench.get("armed").json["armed"] == .null)
            #expect(try await arm(bench).word == "not-begun")
            // Of the same visit, even a new sale is not paid by the same card.
            #expect(try await arm(bench, Self.next).status == 200)
            try await bench.takeCard()
            #expect(try await bench.get("armed").json["armed"] != .null)
        }
    }

    @Test("A card that was there before, or was away only for a moment, pays nothing")
    func lying() async throws {
        try await withAbsentCard { bench, page in
            try await bench.reader.put()
            _ = try await page.next("card")
            let books = try await bench.books()
            #expect(try await arm(bench).word == "card-present")
            let start = ContinuousClock.now
            try await bench.takeCard()
            #expect(try await arm(bench).status == 200)
            try await bench.reader.put()
            _ = try await page.next("armed")
            let ended = try await page.next("armed")
            // On a busy machine, the card may have been away for long enough.
            guard ContinuousClock.now - start < .seconds(1) else { return }
            #expect(ended["ended"]?.string == "unclear-card", "\(ended.text)")
            #expect(try await bench.books() == books)
        }
    }

    @Test("A change disarms, and the sale cannot be armed by a request that comes late")
    func changed() async throws {
        try await withAbsentCard { bench, page in
            let books = try await bench.books()
            let path = "/api/v1/armed?operation=\(Self.id)&client=\(Self.page)"
            #expect(try await arm(bench).status == 200)
            #expect(try await bench.ask("DELETE", path).status == 200)
            _ = try await page.next("armed")
            #expect(try await page.next("armed")["ended"]?.string == "changed")
            #expect(try await arm(bench).word == "not-begun")
            try await bench.reader.put()
            _ = try await page.next("card")
            #expect(try await bench.books() == books)
        }
    }

    @Test("A sale ends with its page, with another page's sale, and with another operation")
    func owners() async throws {
        try await withAbsentCard { bench, page in
            let second = try await EventListener(bench, client: Self.other)
            #expect(try await arm(bench).status == 200)
            _ = try await page.next("armed")
            #expect(try await arm(bench, Self.next, by: Self.other).status == 200)
            #expect(try await page.next("armed")["ended"]?.string == "other-page")
            await second.leave()
            _ = try await page.next("armed")
            #expect(try await page.next("armed")["ended"]?.string == "page-left")
            let gone = try await arm(bench, Self.next, by: Self.other)
            #expect(gone.status == 409)
            let third = "4b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
            #expect(try await arm(bench, third).status == 200)
            async let other = bench.call("pay", #"{"amount":"1.00"}"#)
            _ = try await page.next("armed")
            #expect(try await page.next("armed")["ended"]?.string == "reader-used")
            try await bench.reader.put()
            #expect(try await other.status == 200)
            #expect(try await bench.get("card").status == 200)
        }
    }

    @Test("After a refusal, the next card has to be named until the sale is changed")
    func refused() async throws {
        try await withAbsentCard { bench, page in
            #expect(try await arm(bench, Self.id, by: Self.page, "30.00").status == 200)
            try await bench.reader.put()
            let failed = try await page.next("operation", phase: "failed")
            #expect(failed["problem"]?["error"]?.string == "insufficient-balance")
            try await bench.takeCard()
            #expect(try await arm(bench, Self.next, by: Self.page, "30.00").word == "card-needed")
            let path = "/api/v1/armed?operation=\(Self.next)&client=\(Self.page)"
            #expect(try await bench.ask("DELETE", path).status == 200)
            let third = "4b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
            #expect(try await arm(bench, third, by: Self.page, "3.00").status == 200)
        }
    }

    @Test("A lost reader disarms, and sales that need a confirmation or name a card are not armed")
    func limits() async throws {
        try await withAbsentCard { bench, page in
            let large = try await arm(bench, Self.id, by: Self.page, "150.00")
            #expect(large.word == "confirmation-needed")
            let ids = #""operation":"\#(Self.id)","client":"\#(Self.page)""#
            let named = #"{\#(ids),"amount":"1.00","card":"04AC6B72BA6C80"}"#
            #expect(try await bench.call("armed", named).status == 400)
            #expect(try await bench.call("armed", "{\(ids)}").status == 400)
            #expect(try await arm(bench, Self.id, by: Self.page, "0.00").status != 200)
            #expect(try await bench.call("armed", #"{\#(ids),"verb":"sell"}"#).status != 200)
            #expect(try await bench.call("armed", #"{"amount":"1.00"}"#).status == 400)
            #expect(try await arm(bench).status == 200)
            _ = try await page.next("armed")
            await bench.reader.plug(false)
            #expect(try await page.next("armed")["ended"]?.string == "reader-lost")
            try await bench.reader.put()
            await bench.reader.plug(true)
            while try await bench.get("card").json["read"] == .null {}
            #expect(try await bench.get("history").text.contains("pay\"") == false)
        }
    }
}
