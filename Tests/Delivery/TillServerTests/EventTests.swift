import BlockingLane
import Testing
import TextCodecs

@Suite("Events for pages", .timeLimit(.minutes(5)))
struct EventTests {
    private static let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"

    @Test("A page is sent the state first, then each card that comes or goes")
    func cards() async throws {
        try await TillServerBench.with { bench in
            try await bench.takeCard()
            let page = try await EventListener(bench)
            let state = try #require(try await page.next())
            #expect(state.name == "state")
            #expect(state.data["reader"]?["state"]?.string == "ready")
            #expect(state.data["reader"]?["name"]?.string == "played reader")
            #expect(state.data["card"] == .null && state.data["operations"]?.array == [])
            try await bench.reader.put()
            let blank = try await page.next("card")
            #expect(blank["read"] == .null)
            #expect(blank["problem"]?["error"]?.string == "blank-tag")
            try await bench.reader.take()
            #expect(try await page.next("gone")["session"] == blank["session"])
            try await bench.issue()
            var card = try await page.next("card")
            while card["read"] == .null { card = try await page.next("card") }
            #expect(card["read"]?["name"]?.string == "Amanda")
            #expect(card["read"]?["balance"]?.string == "20.00")
            // Who comes later finds it there.
            let late = try await EventListener(bench)
            #expect(try await late.next("state")["card"]?["session"] == card["session"])
            #expect(try await bench.get("card").json["session"] == card["session"])
        }
    }

    @Test("Every page is sent a payment's phases in order, then the card's new balance")
    func phases() async throws {
        try await TillServerBench.withCard { bench in
            try await bench.reader.take()
            let pages = [try await EventListener(bench), try await EventListener(bench)]
            let watcher = try await EventListener(bench)
            async let paid = bench.call(
                "pay", #"{"amount":"4.50","operation":"\#(Self.id)","client":"\#(Self.id)"}"#)
            _ = try await watcher.next("operation", phase: "waiting")
            try await bench.reader.put()
            #expect(try await paid.status == 200)
            for page in pages {
                var phases: [String] = []
                while phases.last != "done" {
                    let event = try await page.next("operation")
                    #expect(event["operation"]?.string == Self.id)
                    #expect(event["verb"]?.string == "pay")
                    #expect(event["client"]?.string == Self.id)
                    phases.append(event["phase"]?.string ?? "")
                    if phases.last == "done" {
                        #expect(event["answer"]?["amount"]?.string == "-4.50")
                    }
                }
                #expect(
                    phases.filter { $0 != "resolving" }
                        == ["begun", "waiting", "seen", "writing", "committed", "done"])
                #expect(try await page.next("card")["read"]?["balance"]?.string == "15.50")
            }
        }
    }

    @Test("A card that comes for a payment is reported before the payment is done")
    func arrived() async throws {
        try await TillServerBench.withCard { bench in
            try await bench.takeCard()
            let page = try await EventListener(bench)
            #expect(try await page.next("state")["card"] == .null)
            async let paid = bench.call("pay", #"{"amount":"4.50","operation":"\#(Self.id)"}"#)
            _ = try await page.next("operation", phase: "waiting")
            try await bench.reader.put()
            #expect(try await paid.status == 200)
            let card = try await page.next("card")
            #expect(card["read"] == .null && card["problem"] == .null)
            _ = try await page.next("operation", phase: "done")
            let read = try await page.next("card")
            #expect(read["session"] == card["session"])
            #expect(read["read"]?["balance"]?.string == "15.50")
            try await bench.reader.take()
            #expect(try await page.next("gone")["session"] == card["session"])
        }
    }

    @Test("Making a card or stopping a scratch does not report the card as gone")
    func staying() async throws {
        try await TillServerBench.with { bench in
            try await bench.takeCard()
            let page = try await EventListener(bench)
            try await bench.reader.put()
            let blank = try await page.next("card")
            #expect(blank["problem"]?["error"]?.string == "blank-tag")
            #expect(try await bench.call("demo").status == 200)
            let made = try await page.next("card")
            #expect(made["session"] == blank["session"])
            bench.mayPass.withLock { $0 = false }
            let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
            async let scratched = bench.call("scratch", #"{"operation":"\#(id)"}"#)
            _ = try await page.next("operation", phase: "scratching")
            _ = try await bench.ask("DELETE", "/api/v1/operations/\(id)")
            #expect(try await scratched.word == "cancelled")
            bench.mayPass.withLock { $0 = true }
            while let event = try await page.next() {
                #expect(event.name != "gone")
                guard event.name == "card" else { continue }
                #expect(event.data["session"] == blank["session"])
                break
            }
            #expect(try await bench.ask("GET", "/metrics").text.contains("cards_total 2\n"))
        }
    }

    @Test("A card is never reported with its balance from before a payment")
    func fresh() async throws {
        try await TillServerBench.withCard { bench in
            for units in 1...20 {
                let paid = try await bench.call(
                    "pay", #"{"amount":"0.01","again":true}"#)
                let left = try #require(paid.json["balance"]?.string)
                #expect(left == (units < 20 ? "19.\(100 - units)" : "19.80"))
                let told = try await bench.get("card").json["read"]?["balance"]?.string
                #expect(told == nil || told == left)
            }
        }
    }

    @Test("A request that only reads is not reported as an operation")
    func looking() async throws {
        try await TillServerBench.with { bench in
            try await bench.takeCard()
            let page = try await EventListener(bench)
            _ = try await page.next("state")
            for path in ["history", "audit", "draws"] { _ = try await bench.get(path) }
            try await bench.reader.put()
            #expect(try #require(try await page.next()).name == "card")
        }
    }

    @Test("A page is told that the reader was unplugged and plugged in again")
    func unplugged() async throws {
        try await TillServerBench.with { bench in
            let page = try await EventListener(bench)
            await bench.reader.plug(false)
            let missing = try await page.next("reader")
            #expect(missing["state"]?.string == "missing")
            #expect(missing["problem"]?["result"]?.string == "no-reader")
            let health = try await bench.get("health")
            #expect(health.json["status"]?.string == "no-reader")
            await bench.reader.plug(true)
            let back = try await page.next("reader")
            #expect(back["state"]?.string == "ready" && back["problem"] == .null)
        }
    }

    @Test("A reader that an operation finds first is reported as ready again")
    func foundFirst() async throws {
        try await TillServerBench.with(timeout: 0) { bench in
            try await bench.reader.take()
            let page = try await EventListener(bench)
            await bench.reader.plug(false)
            #expect(try await page.next("reader")["state"]?.string == "missing")
            await bench.reader.plug(true)
            #expect(try await bench.call("read").word == "no-card")
            let back = try await page.next("reader")
            #expect(back["state"]?.string == "ready" && back["problem"] == .null)
        }
    }

    @Test("A page that does not read is dropped without holding up another page")
    func slow() async throws {
        try await TillServerBench.with { bench in
            let slow = try await EventListener(bench, receiveBytes: 1)
            let quick = try await EventListener(bench)
            var listeners = ""
            repeat {
                #expect(try await bench.call("simulator/put").status == 200)
                let put = try await quick.next("operation", phase: "done")
                #expect(put["answer"]?["tags"]?.array?.count == FullDrawer.tags.count)
                listeners = try await bench.ask("GET", "/metrics").text
            } while listeners.contains("tapcard_listeners 2\n")
            #expect(listeners.contains("tapcard_listeners 1\n"))
            await slow.leave()
        }
    }

    @Test("A tag that becomes a card is reported again, and a blocked card is no longer trusted")
    func trust() async throws {
        try await TillServerBench.with { bench in
            try await bench.takeCard()
            let page = try await EventListener(bench, to: "taps")
            try await bench.reader.put()
            let blank = try await page.next("tap")
            #expect(blank["trust"]?.string == "uid")
            try await bench.issue()
            let card = try await page.next("tap")
            #expect(card["event"]?.string == "arrived" && card["uid"] == blank["uid"])
            #expect(card["trust"]?.string == "sealed")
            let uid = try #require(card["uid"]?.string)
            let blocked = try await bench.call("block", #"{"card":"\#(uid)"}"#)
            #expect(blocked.status == 200, "\(blocked.text)")
            // The till reads the card again after each operation at its reader.
            _ = try await bench.call("read")
            var trust: String?
            repeat {
                let late = try await EventListener(bench, to: "taps")
                trust = try await late.next("tap")["trust"]?.string
            } while trust == "sealed"
            #expect(trust == "uid")
            // The first page receives no event that the tag left or arrived.
            try await bench.reader.take()
            #expect(try await page.next("tap")["event"]?.string == "departed")
        }
    }
}
