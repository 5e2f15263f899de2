import IdleDrivers
import TestSupport
import Testing
import TextCodecs

@Suite("Several tills of one server", .timeLimit(.minutes(5)))
struct TillsTests {
    private static let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let other = "1b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let uid = "04AC6B72BA6C80"

    /// A till of the bench, as its own page asks it.
    private struct Till {
        let bench: TillServerBench
        let number: Int

        var reader: UnpluggableReader { bench.readers[number - 1] }
        var path: String { "/tills/\(number)" }

        func call(_ verb: String, _ body: String = "{}") async throws -> Asked {
            try await bench.ask("POST", "\(path)/api/v1/\(verb)", body)
        }

        func get(_ what: String) async throws -> Asked {
            try await bench.ask("GET", "\(path)/api/v1/\(what)")
        }

        func listen(client: String? = nil) async throws -> EventListener {
            try await EventListener(bench, at: number, client: client)
        }

        /// Takes the tag away and waits until the till has noticed.
        func clear() async throws {
            while try await get("card").json["session"] == .null {}
            try await reader.take()
            while try await get("card").json["session"] != .null {}
        }
    }

    /// Runs the body with two tills, a card with 20.00 on the first reader, and nothing on the
    /// second.
    private func with(
        timeout: Int = 600, _ body: (TillServerBench, Till, Till) async throws -> Void
    ) async throws {
        try await TillServerBench.with(timeout: timeout, readers: 2) { bench in
            let (first, second) = (
                Till(bench: bench, number: 1), Till(bench: bench, number: 2)
            )
            try await second.clear()
            try await first.reader.put()
            let issued = try await first.call("issue", #"{"name":"Amanda","balance":"20.00"}"#)
            #expect(issued.status == 200, "\(issued.text)")
            try await body(bench, first, second)
        }
    }

    @Test("One till takes payments while another waits for a card")
    func apart() async throws {
        try await with { _, first, second in
            let page = try await second.listen()
            async let waiting = second.call(
                "pay", #"{"amount":"1.00","operation":"\#(Self.other)"}"#)
            _ = try await page.next("operation", phase: "waiting")
            for _ in 1...3 {
                let paid = try await first.call("pay", #"{"amount":"2.00","again":true}"#)
                #expect(paid.status == 200)
            }
            #expect(
                try await second.get("operations/\(Self.other)").json["phase"]?.string
                    == "waiting")
            let taken = try await second.call("pay", #"{"amount":"1.00"}"#)
            #expect(taken.word == "reader-taken")
            let stopped = try await second.bench.ask(
                "DELETE", "\(second.path)/api/v1/operations/\(Self.other)")
            #expect(stopped.status == 202)
            #expect(try await waiting.word == "cancelled")
            #expect(try await first.call("read").json["balance"]?.string == "14.00")
        }
    }

    @Test("What happens at one till is neither reported nor answered at another")
    func unseen() async throws {
        try await with { bench, first, second in
            let page = try await second.listen()
            #expect(try await page.next("state")["card"] == .null)
            let paid = try await first.call(
                "pay", #"{"amount":"4.50","operation":"\#(Self.id)"}"#)
            #expect(paid.status == 200)
            #expect(try await first.get("operations/\(Self.id)").status == 200)
            let unknown = try await second.get("operations/\(Self.id)")
            #expect(unknown.status == 404 && unknown.word == "no-such-operation")
            #expect(try await first.get("card").json["session"] != .null)
            #expect(try await second.get("card").json["session"] == .null)
            // The next thing that its page hears of is its own.
            _ = try await second.call("block", #"{"card":"\#(Self.uid)"}"#)
            let event = try #require(try await page.next())
            #expect(event.name == "operation" && event.data["verb"]?.string == "block")
            // The history is that of the issuer.
            for till in [first, second] {
                let entries = try await till.get("history").json["entries"]?.array ?? []
                #expect(entries.contains { $0["operation"]?.string == Self.id })
            }
            _ = bench
        }
    }

    @Test("Operations keep the till that they were made at, and a report splits them")
    func reported() async throws {
        try await with { _, first, second in
            #expect(try await first.call("pay", #"{"amount":"4.50"}"#).status == 200)
            let sold = try await second.call(
                "sell", #"{"lines":[{"price":"3.00"}],"tender":"terminal"}"#)
            #expect(sold.json["till"]?.string == "2", "\(sold.text)")
            let entries = try await second.get("history").json["entries"]?.array ?? []
            #expect(entries.compactMap { $0["till"]?.string } == ["1", "1"])
            let report = try await second.get("reports/tills")
            let rows = report.json["rows"]?.array ?? []
            #expect(rows.map { $0["till"]?.string } == ["1", "2"])
            #expect(rows.map { $0["sold"]?.string } == ["4.50", "3.00"], "\(report.text)")
            #expect(report.json["sum"]?["sold"]?.string == "7.50")
        }
    }

    @Test("A request that is sent to two tills under one id happens once")
    func sameID() async throws {
        try await with { _, first, second in
            let pay = #"{"amount":"4.50","operation":"\#(Self.id)"}"#
            #expect(try await first.call("pay", pay).status == 200)
            let again = try await second.call("pay", pay)
            #expect(again.status == 200 && again.json["replayed"] == .bool(true), "\(again.text)")
            let changed = try await second.call(
                "pay", #"{"amount":"5.00","operation":"\#(Self.id)"}"#)
            #expect(changed.word == "operation-mismatch")
            #expect(try await first.call("read").json["balance"]?.string == "15.50")
        }
    }

    @Test("A page that leaves one till stops nothing at another")
    func leaving() async throws {
        try await with { bench, first, second in
            let (tab, other) = (
                try await first.listen(client: Self.id), try await second.listen(client: Self.id)
            )
            async let waiting = second.call(
                "pay", #"{"amount":"1.00","operation":"\#(Self.other)","client":"\#(Self.id)"}"#)
            _ = try await other.next("operation", phase: "waiting")
            await tab.leave()
            let line = #"tapcard_listeners{till="1"} 0"#
            while try await !bench.ask("GET", "/metrics").text.contains(line) {}
            #expect(
                try await second.get("operations/\(Self.other)").json["phase"]?.string
                    == "waiting")
            await other.leave()
            #expect(try await waiting.word == "cancelled")
        }
    }

    @Test("A till reports its missing reader while another till keeps working")
    func unplugged() async throws {
        try await with(timeout: 0) { bench, first, second in
            let (page, other) = (try await first.listen(), try await second.listen())
            await second.reader.plug(false)
            #expect(try await other.next("reader")["state"]?.string == "missing")
            #expect(try await first.call("pay", #"{"amount":"1.00"}"#).status == 200)
            #expect(try await second.call("pay", #"{"amount":"1.00"}"#).status == 503)
            #expect(try await page.next("state")["reader"]?["state"]?.string == "ready")
            #expect(try await first.get("health").json["status"]?.string == "ok")
            let health = try await second.get("health").json
            #expect(health["status"]?.string == "no-reader")
            #expect(health["reader"]?["state"]?.string == "missing")
            let issuer = try await bench.ask("GET", "/api/v1/health").json
            #expect(issuer["status"]?.string == "no-reader" && issuer["reader"] == .null)
            let tills = issuer["tills"]?.array ?? []
            #expect(tills.map { $0["number"] } == [.number("1"), .number("2")])
            #expect(tills.map { $0["status"]?.string } == ["ok", "no-reader"])
            let lines = try await bench.ask("GET", "/metrics").text.split(separator: "\n")
            for line in [
                #"tapcard_reader_up{till="1"} 1"#, #"tapcard_reader_up{till="2"} 0"#,
                "tapcard_ledger_up 1", "tapcard_tills_attached 0",
                #"tapcard_operations_total{till="1",verb="pay",result="done"} 1"#,
                #"tapcard_operations_total{till="2",verb="pay",result="no-reader"} 1"#,
            ] {
                #expect(lines.contains { $0 == line }, "\(line)")
            }
            await second.reader.plug(true)
            // The payment has reported the loss once more.
            while try await other.next("reader")["state"]?.string != "ready" {}
            #expect(bench.log.contains(#""event":"operation","till":2,"#))
        }
    }

    @Test("A blank tag or an old copy with a card's UID cannot pay at another till, the card can")
    func copied() async throws {
        try await with { _, first, second in
            let pay = #"{"amount":"1.00","again":true}"#
            let old = try await first.reader.world
            #expect(try await first.call("pay", pay).status == 200)
            // The reader's own tag has the same number and nothing on it.
            let blank = try await second.reader.world
            for (tag, word) in [(blank, "damaged"), (old, "rolled-back")] {
                try await second.reader.put(tag)
                try await second.reader.put()
                var card = try await second.get("card").json
                while card["problem"] == .null { card = try await second.get("card").json }
                #expect(card["problem"]?["uid"]?.string == Self.uid)
                let refused = try await second.call("pay", pay)
                #expect(refused.status == 409 && refused.word == word, "\(refused.text)")
                try await second.clear()
            }
            let paid = try await first.call("pay", pay)
            #expect(paid.json["balance"]?.string == "18.00", "\(paid.text)")
            let audit = try await second.get("audit").json
            #expect(audit["violations"]?.array == [])
        }
    }

    @Test("Each till has its own path, and the root serves the page, settings and health")
    func paths() async throws {
        try await with { bench, first, _ in
            for path in ["/", "/tills/1", "/tills/2/", "/tills/1/app.js"] {
                #expect(try await bench.ask("GET", path).status == 200, "\(path)")
            }
            // The page says so itself, and offers the others; a copy of before is not kept.
            let page = try await bench.ask("GET", "/tills/1/")
            let tag = try #require(page.headers["etag"])
            for path in ["/tills/9/", "/tills/9", "/tills/0/", "/tills/9/app.js"] {
                let missing = try await bench.ask("GET", path, headers: ["If-None-Match": tag])
                #expect(missing.status == 404, "\(path)")
                #expect(path.hasSuffix("js") || missing.text == page.text, "\(path)")
            }
            for path in ["settings", "health"] {
                #expect(try await bench.ask("GET", "/api/v1/\(path)").status == 200)
                #expect(try await first.get(path).status == 200)
            }
            #expect(
                try await bench.ask("GET", "/api/v1/settings").json["tills"] == .number("2"))
            for (method, path) in [
                ("GET", "/api/v1/card"), ("POST", "/api/v1/pay"), ("GET", "/api/v1/events"),
                ("GET", "/tills/3/api/v1/card"), ("GET", "/tills/0/api/v1/history"),
            ] {
                let refused = try await bench.ask(method, path, method == "POST" ? "{}" : nil)
                #expect(refused.status == 404 && refused.word == "no-such-till", "\(path)")
                #expect(refused.json["next"]?.array?.first?["step"]?.string == "name-till")
            }
            for path in [
                "/tills/01/api/v1/card", "/tills/+1/", "/tills//", "/tills/",
                "/tills/1/nothing", "/tills/1/tills/1/", "/tills",
                "/tills/99999999999999999999/",
            ] {
                let refused = try await bench.ask("GET", path)
                #expect(refused.status == 404 && refused.word == "not-found", "\(path)")
            }
            let stranger = ["Host": "elsewhere"]
            let asked = try await bench.ask("GET", "/tills/2/", headers: stranger)
            #expect(asked.word == "forbidden-host")
        }
    }

    @Test("Every till serves one API document, which lists all tills")
    func document() async throws {
        try await with { bench, first, _ in
            let document = try await bench.ask("GET", "/api/openapi.json").json
            let server = try #require(document["servers"]?.array?.first)
            #expect(server["url"]?.string == "/tills/{till}")
            let till = server["variables"]?["till"]
            #expect(till?["enum"]?.array == [.string("1"), .string("2")])
            let own = try await bench.ask("GET", "\(first.path)/api/openapi.json").json
            #expect(own == document)
            let checker = SchemaChecker(document: document)
            for health in [
                try await first.get("health").json,
                try await bench.ask("GET", "/api/v1/health").json,
            ] {
                let schema: JSONValue = ["$ref": "#/components/schemas/Health"]
                #expect(checker.faults(of: health, against: schema) == [])
            }
        }
    }

    @Test("A single till is served at the root and under its number")
    func single() async throws {
        try await TillServerBench.withCard { bench in
            // The till reports the new card before it reads it.
            while try await bench.get("card").json["read"] == .null {}
            let card = try await bench.get("card")
            let numbered = try await bench.ask("GET", "/tills/1/api/v1/card").text
            #expect(numbered == card.text)
            let other = try await bench.ask("GET", "/tills/2/api/v1/card")
            #expect(other.status == 404 && other.word == "no-such-till")
            #expect(try await bench.ask("GET", "/tills/2/").status == 404)
            let document = try await bench.ask("GET", "/api/openapi.json").json
            #expect(document["servers"] == [["url": "/"]])
        }
    }

    @Test("Closing the server stops what waits at every till")
    func closed() async throws {
        try await with { bench, first, second in
            try await first.clear()
            var waiting: [Task<Asked, any Error>] = []
            for till in [first, second] {
                let page = try await till.listen()
                waiting.append(Task { try await till.call("pay", #"{"amount":"1.00"}"#) })
                _ = try await page.next("operation", phase: "waiting")
            }
            #expect(await bench.end() == 0)
            for task in waiting { #expect(try await task.value.word == "cancelled") }
        }
    }
}
