import TapcardCore
import Testing
import TextCodecs

@Suite("A card that stays on the reader", .timeLimit(.minutes(5)))
struct VisitTests {
    private static let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let other = "1b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let pay = #"{"amount":"4.50","operation":"\#(id)"}"#
    private static let one = #"{"amount":"1.00"}"#
    private static let again = #"{"amount":"1.00","again":true}"#

    private func expectAsked(_ bench: TillServerBench, _ verb: String = "pay") async throws {
        let books = try await bench.books()
        let refused = try await bench.call(verb, Self.one)
        #expect(refused.status == 409 && refused.word == "same-card", "\(refused.text)")
        #expect(refused.json["uid"]?.string == "04AC6B72BA6C80")
        #expect(try await bench.books() == books)
    }

    private func served(_ bench: TillServerBench) async throws -> JSONValue? {
        var card = try await bench.get("card").json
        while card["session"] == .null || card["read"] == .null {
            card = try await bench.get("card").json
        }
        return card["served"]
    }

    @Test("A second payment is refused until it is asked for again or the card has left")
    func once() async throws {
        try await TillServerBench.withCard { bench in
            #expect(try await served(bench) == [:])
            #expect(try await bench.call("pay", Self.pay).status == 200)
            #expect(try await served(bench) == ["pay": "yes"])
            try await expectAsked(bench)
            #expect(try await bench.call("pay", Self.pay).json["replayed"] == .bool(true))
            #expect(try await bench.call("pay", Self.again).json["balance"]?.string == "14.50")
            try await expectAsked(bench)
            #expect(try await bench.call("add", Self.one).status == 200)
            try await expectAsked(bench, "add")
            #expect(try await served(bench) == ["pay": "yes", "add": "yes"])
            try await bench.takeCard()
            try await bench.reader.put()
            #expect(try await served(bench) == [:])
            #expect(try await bench.call("pay", Self.one).status == 200)
        }
    }

    @Test("Only one of two browsers charges the card")
    func together() async throws {
        try await TillServerBench.withCard { bench in
            let page = try await EventListener(bench)
            await bench.reader.holdWrites(true)
            async let first = bench.call("pay", Self.pay)
            _ = try await page.next("operation", phase: "writing")
            #expect(try await bench.call("pay", Self.one).word == "reader-taken")
            await bench.reader.holdWrites(false)
            #expect(try await first.status == 200)
            try await expectAsked(bench)
        }
    }

    @Test("A card that came for its payment is not charged twice without asking")
    func arrived() async throws {
        try await TillServerBench.withCard { bench in
            try await bench.takeCard()
            let page = try await EventListener(bench)
            async let paid = bench.call("pay", Self.pay)
            _ = try await page.next("operation", phase: "waiting")
            try await bench.reader.put()
            #expect(try await paid.status == 200)
            try await expectAsked(bench)
        }
    }

    @Test("A card is not charged twice without asking, even after the server restarted")
    func restarted() async throws {
        try await TillServerBench.withCard { bench in
            #expect(try await bench.call("pay", Self.pay).status == 200)
            try await bench.startAgain { bench in
                // Before the reader was looked at.
                try await expectAsked(bench)
                #expect(try await served(bench) == ["pay": "perhaps"])
                try await expectAsked(bench)
                #expect(try await bench.call("add", Self.one).status == 200)
                #expect(try await bench.call("pay", Self.pay).json["replayed"] == .bool(true))
                #expect(try await bench.call("pay", Self.again).status == 200)
                #expect(try await served(bench) == ["pay": "yes", "add": "yes"])
                try await bench.takeCard()
                try await bench.reader.put()
                #expect(try await bench.call("pay", Self.one).status == 200)
            }
        }
    }

    @Test("A card is not charged twice without asking, even after the reader was lost and found")
    func found() async throws {
        try await TillServerBench.withCard { bench in
            #expect(try await bench.call("pay", Self.pay).status == 200)
            #expect(try await served(bench) == ["pay": "yes"])
            let page = try await EventListener(bench)
            await bench.reader.plug(false)
            _ = try await page.next("reader")
            await bench.reader.plug(true)
            #expect(try await served(bench) == ["pay": "perhaps"])
            try await expectAsked(bench)
        }
    }

    @Test("The same holds if the reader is elsewhere, and back at once")
    func foundElsewhere() async throws {
        try await TillServerBench.with { bench in
            let added = try await bench.call("tills/add", #"{"name":"Bar","trusted":true}"#)
            let code = try #require(added.json["code"]?.string, "\(added.text)")
            let agent = try await BenchAgent(bench, code: code)
            try await agent.serving {
                let page = "/tills/101/api/v1/"
                let session = try await bench.ask(
                    "POST", page + "session", "{}", headers: ["Authorization": ""])
                let token = try #require(session.json["token"]?.string, "\(session.text)")
                func ask(_ call: String, _ body: String?) async throws -> Asked {
                    try await bench.ask(
                        body == nil ? "GET" : "POST", page + call, body,
                        headers: ["Authorization": "Bearer \(token)"])
                }
                func card(after earlier: JSONValue?) async throws -> JSONValue {
                    while true {
                        let card = try await ask("card", nil).json
                        let isRead = card["session"] != .null && card["read"] != .null
                        if isRead, card["session"] != earlier { return card }
                    }
                }
                let issued = try await ask("issue", #"{"balance":"20.00"}"#)
                #expect(issued.status == 200, "\(issued.text)")
                let paid = try await ask("pay", Self.pay)
                #expect(paid.status == 200, "\(paid.text)")
                let before = try await card(after: nil)
                #expect(before["served"] == ["pay": "yes"])
                try await agent.lose()
                #expect(try await card(after: before["session"])["served"] == ["pay": "perhaps"])
                #expect(try await ask("pay", Self.one).word == "same-card")
            }
        }
    }

    @Test("A card may be charged again after a full refund, but not after a partial one")
    func undone() async throws {
        try await TillServerBench.withCard { bench in
            #expect(try await bench.call("pay", Self.pay).status == 200)
            let undo = #"{"payment":"\#(Self.id)"}"#
            #expect(try await bench.call("refund", undo).status == 200)
            #expect(try await served(bench) == [:])
            let paid = try await bench.call("pay", Self.one)
            let id = try #require(paid.json["operation"]?.string)
            let part = #"{"payment":"\#(id)","amount":"0.50"}"#
            #expect(try await bench.call("refund", part).status == 200)
            try await expectAsked(bench)
        }
    }

    @Test("A repeated request that never began is refused, and its id begins nothing later")
    func repeated() async throws {
        try await TillServerBench.withCard { bench in
            try await bench.takeCard()
            let books = try await bench.books()
            let repeated = #"{"amount":"4.50","operation":"\#(Self.id)","repeated":true}"#
            let answer = try await bench.call("pay", repeated)
            #expect(answer.status == 409 && answer.word == "not-begun", "\(answer.text)")
            try await bench.reader.put()
            #expect(try await bench.call("pay", Self.pay).word == "not-begun")
            #expect(try await bench.books() == books)
            let mistaken = #"{"amount":"4.50","repeated":1}"#
            #expect(try await bench.call("pay", mistaken).status == 400)
        }
    }

    @Test("A repeated request joins a waiting payment and finishes one that was begun")
    func finished() async throws {
        try await TillServerBench.withCard { bench in
            try await bench.takeCard()
            let page = try await EventListener(bench)
            let repeated = #"{"amount":"4.50","operation":"\#(Self.id)","repeated":true}"#
            async let first = bench.call("pay", Self.pay)
            _ = try await page.next("operation", phase: "waiting")
            async let second = bench.call("pay", repeated)
            await bench.reader.holdWrites(true)
            try await bench.reader.put()
            _ = try await page.next("operation", phase: "writing")
            try await bench.reader.take()
            await bench.reader.holdWrites(false)
            #expect(try await first.word == "outcome-unknown")
            #expect(try await second.word == "outcome-unknown")
            async let third = bench.call("pay", repeated)
            _ = try await page.next("operation", phase: "waiting")
            try await bench.reader.put()
            let paid = try await third
            #expect(paid.json["balance"]?.string == "15.50", "\(paid.text)")
            #expect(try await bench.call("pay", repeated).json["replayed"] == .bool(true))
        }
    }

    @Test("A repeated repair is refused, and a repeated block of a named card is done")
    func unkept() async throws {
        try await TillServerBench.withCard { bench in
            let repaired = try await bench.call("repair", #"{"repeated":true}"#)
            #expect(repaired.status == 409 && repaired.word == "outcome-unknown")
            #expect(repaired.json["result"]?.string == "unknown")
            let blocked = try await bench.call(
                "block", #"{"card":"04AC6B72BA6C80","repeated":true}"#)
            #expect(blocked.status == 200)
        }
    }
}
