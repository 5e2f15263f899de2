import BlockingLane
import IdleDrivers
import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("Pages that leave and tills that close", .timeLimit(.minutes(5)))
struct LeavingTests {
    private static let client = "2b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"

    @Test("A waiting payment is stopped when the last stream of its page ends")
    func waiting() async throws {
        try await TillServerBench.withCard { bench in
            try await bench.reader.take()
            let books = try await bench.books()
            let watcher = try await EventListener(bench)
            let tabs = [
                try await EventListener(bench, client: Self.client),
                try await EventListener(bench, client: Self.client),
            ]
            async let paid = bench.call(
                "pay", #"{"amount":"4.50","operation":"\#(Self.id)","client":"\#(Self.client)"}"#)
            _ = try await watcher.next("operation", phase: "waiting")
            await tabs[0].leave()
            while try await bench.ask("GET", "/metrics").text.contains("listeners 3\n") {}
            let still = try await bench.get("operations/\(Self.id)")
            #expect(still.json["phase"]?.string == "waiting")
            await tabs[1].leave()
            let failed = try await watcher.next("operation", phase: "failed")
            #expect(failed["problem"]?["error"]?.string == "cancelled")
            #expect(try await paid.status == 409)
            #expect(try await bench.books() == books)
        }
    }

    @Test("Scratching is stopped when its page leaves, and the card stays unscratched")
    func scratching() async throws {
        try await TillServerBench.withCard { bench in
            let watcher = try await EventListener(bench)
            let tab = try await EventListener(bench, client: Self.client)
            bench.mayPass.withLock { $0 = false }
            async let scratched = bench.call("scratch", #"{"client":"\#(Self.client)"}"#)
            _ = try await watcher.next("operation", phase: "scratching")
            await tab.leave()
            #expect(try await scratched.word == "cancelled")
            bench.mayPass.withLock { $0 = true }
            #expect(try await bench.call("read").json["state"]?.string == "unscratched")
        }
    }

    @Test("A page that leaves stops neither a payment being written nor that of another page")
    func writing() async throws {
        try await TillServerBench.withCard { bench in
            let watcher = try await EventListener(bench)
            let tab = try await EventListener(bench, client: Self.client)
            await bench.reader.holdWrites(true)
            async let paid = bench.call(
                "pay", #"{"amount":"4.50","client":"\#(Self.client)"}"#)
            _ = try await watcher.next("operation", phase: "writing")
            await tab.leave()
            while try await bench.ask("GET", "/metrics").text.contains("listeners 2\n") {}
            await bench.reader.holdWrites(false)
            #expect(try await paid.json["balance"]?.string == "15.50")
            try await bench.reader.take()
            async let others = bench.call("pay", #"{"amount":"0.50","operation":"\#(Self.id)"}"#)
            _ = try await watcher.next("operation", phase: "waiting")
            let stranger = try await EventListener(bench, client: Self.client)
            await stranger.leave()
            while try await bench.ask("GET", "/metrics").text.contains("listeners 2\n") {}
            try await bench.reader.put()
            #expect(try await others.json["balance"]?.string == "15.00")
        }
    }

    @Test("An activation goes on when its page leaves, and its answer is kept")
    func activating() async throws {
        let service = HeldActivation()
        try await TillServerBench.withCard(services: service.services) { bench in
            #expect(try await bench.call("scratch").status == 200)
            let tab = try await EventListener(bench, client: Self.client)
            async let activated = bench.call(
                "activate", #"{"operation":"\#(Self.id)","client":"\#(Self.client)"}"#)
            await service.waitForQuestion()
            await tab.leave()
            let path = "/api/v1/operations/\(Self.id)"
            while try await bench.ask("GET", "/metrics").text.contains("listeners 1\n") {}
            #expect(try await bench.ask("DELETE", path).word == "too-late")
            service.answer(.active)
            #expect(try await activated.json["state"]?.string == "activated")
            #expect(try await bench.ask("GET", path).json["phase"]?.string == "done")
        }
    }

    @Test("A till that is closing begins nothing new and lets running operations end")
    func closing() async throws {
        try await TillServerBench.withCard { bench in
            let page = try await EventListener(bench)
            await bench.reader.holdWrites(true)
            async let paid = bench.call("pay", #"{"amount":"4.50"}"#)
            _ = try await page.next("operation", phase: "writing")
            async let ended = bench.end()
            while !bench.log.contains(#""event":"closing""#) {
                try await Task.sleep(for: .milliseconds(1))
            }
            var refused = try await bench.call("block", #"{"card":"04AC6B72BA6C80"}"#)
            while refused.status == 200 {
                refused = try await bench.call("block", #"{"card":"04AC6B72BA6C80"}"#)
            }
            #expect(refused.status == 503 && refused.word == "closing")
            #expect(try await bench.get("events").word == "closing")
            await bench.reader.holdWrites(false)
            #expect(try await paid.json["balance"]?.string == "15.50")
            #expect(await ended == 0)
            while try await page.next() != nil {}
            #expect(!bench.log.contains("Amanda"))
        }
    }
}
