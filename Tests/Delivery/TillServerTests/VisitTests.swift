import TapcardCore
import Testing
import TextCodecs

@Suite("A card is charged once while it stays on the reader", .timeLimit(.minutes(5)))
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

    @Test("another payment is refused until somebody asks for it again, or the card has left")
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

    @Test("of two browsers that charge the card at the same time, one does")
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

    @Test("a card that came for its payment is asked about as well")
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

    @Test("after a restart of the server, too; a card that comes later is a new one")
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

    @Test("and after the reader was lost and found again")
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

    @Test("what was undone as a whole may be asked for again")
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

    @Test("a repeated request begins nothing, and what it has given up never begins")
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

    @Test("a repeated request finishes what was begun, and joins what still waits")
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

    @Test("without an id in the ledger, nothing is repeated on whichever card comes next")
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
