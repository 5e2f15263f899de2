import IdleDrivers
import Testing
import TextCodecs

@Suite("Operations at a till", .timeLimit(.minutes(5)))
struct OperationTests {
    private static let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let other = "1b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let new = "2b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
    private static let pay = #"{"amount":"4.50","operation":"\#(id)"}"#

    @Test("While one operation waits for a card, only requests that need no card begin")
    func taken() async throws {
        try await TillServerBench.withCard { bench in
            try await bench.reader.take()
            let page = try await EventListener(bench)
            async let paid = bench.call("pay", Self.pay)
            _ = try await page.next("operation", phase: "waiting")
            for verb in ["pay", "read", "scratch"] {
                let body = verb == "pay" ? #"{"amount":"1.00"}"# : "{}"
                let refused = try await bench.call(verb, body)
                #expect(refused.status == 409 && refused.word == "reader-taken")
            }
            #expect(try await bench.call("block", #"{"card":"04AC6B72BA6C80"}"#).status == 200)
            #expect(try await bench.call("unblock", #"{"card":"04AC6B72BA6C80"}"#).status == 200)
            #expect(try await bench.get("history").status == 200)
            try await bench.reader.put()
            #expect(try await paid.json["balance"]?.string == "15.50")
        }
    }

    @Test("Only the latest operations are remembered, and the ledger still knows older ones")
    func bounded() async throws {
        try await TillServerBench.withCard { bench in
            func id(_ number: Int) -> String {
                "0b9f1f6e-5a3c-4d2e-9f10-\(String(1_000_000_000_000 + number).dropFirst())"
            }
            #expect(try await bench.call("pay", Self.pay).status == 200)
            for number in 0...65 {
                let body = #"{"card":"04AC6B72BA6C80","operation":"\#(id(number))"}"#
                let verb = number % 2 == 0 ? "block" : "unblock"
                #expect(try await bench.call(verb, body).status == 200)
            }
            let first = try await bench.get("operations/\(id(1))")
            #expect(first.status == 404 && first.word == "no-such-operation")
            for number in [2, 65] {
                #expect(try await bench.get("operations/\(id(number))").status == 200)
            }
            // The ledger knows it still; who uses its id for something else does not take it over.
            let other = try await bench.call("pay", #"{"amount":"9.00","operation":"\#(Self.id)"}"#)
            #expect(other.status == 409 && other.word == "operation-mismatch")
            let again = try await bench.call("pay", Self.pay)
            #expect(again.status == 200 && again.json["replayed"] == .bool(true))
        }
    }

    @Test("A request can be stopped while it waits for the look whether the last card stayed")
    func stoppedDuringLook() async throws {
        try await TillServerBench.withCard { bench in
            let second = "0b9f1f6e-5a3c-4d2e-9f10-000000000002"
            let page = try await EventListener(bench)
            await bench.reader.holdWrites(true)
            async let first = bench.call("pay", Self.pay)
            _ = try await page.next("operation", phase: "writing")
            await bench.reader.holdLooks(true)
            await bench.reader.holdWrites(false)
            #expect(try await first.status == 200)
            try await bench.reader.take()
            async let paid = bench.call("pay", #"{"amount":"2.00","operation":"\#(second)"}"#)
            while try await bench.get("operations/\(second)").status != 200 {}
            async let stopped = bench.ask("DELETE", "/api/v1/operations/\(second)")
            await bench.reader.holdLooks(false)
            #expect(try await stopped.status == 202)
            #expect(try await paid.word == "cancelled")
        }
    }

    @Test("A repeated request joins the running one and is later answered from the ledger")
    func same() async throws {
        try await TillServerBench.withCard { bench in
            try await bench.reader.take()
            let page = try await EventListener(bench)
            async let first = bench.call("pay", Self.pay)
            _ = try await page.next("operation", phase: "waiting")
            // The order of its members says nothing.
            async let second = bench.call("pay", #"{"operation":"\#(Self.id)","amount":"4.50"}"#)
            let mismatch = try await bench.call(
                "pay", #"{"amount":"5.00","operation":"\#(Self.id)"}"#)
            #expect(mismatch.status == 409 && mismatch.word == "operation-mismatch")
            let running = try await bench.get("operations/\(Self.id)")
            #expect(running.json["phase"]?.string == "waiting")
            #expect(running.json["answer"] == .null)
            try await bench.reader.put()
            let (one, two) = try await (first, second)
            #expect(one.status == 200 && one.text == two.text)
            let over = try await bench.get("operations/\(Self.id)")
            #expect(over.json["phase"]?.string == "done")
            #expect(over.json["answer"]?["balance"]?.string == "15.50")
            let books = try await bench.books()
            let again = try await bench.call("pay", Self.pay)
            #expect(again.json["replayed"] == .bool(true), "\(again.text)")
            #expect(again.json["balance"]?.string == "15.50")
            for body in [#"{"amount":"5.00","operation":"\#(Self.id)"}"#] {
                for verb in ["pay", "add"] {
                    let refused = try await bench.call(verb, body)
                    #expect(refused.status == 409 && refused.word == "operation-mismatch")
                }
            }
            #expect(try await bench.books() == books)
        }
    }

    @Test("A block is not repeated under its id, and a failed block is tried again")
    func remembered() async throws {
        try await TillServerBench.withCard { bench in
            let block = #"{"card":"04AC6B72BA6C80","operation":"\#(Self.id)"}"#
            let first = try await bench.call("block", block)
            #expect(first.status == 200)
            #expect(try await bench.call("unblock").status == 200)
            #expect(try await bench.call("block", block).text == first.text)
            #expect(try await bench.call("pay", #"{"amount":"1.00"}"#).status == 200)
            // What has failed is tried again.
            let late = #"{"card":"04AC6B72BA6C81","operation":"\#(Self.other)"}"#
            for _ in 0..<2 { #expect(try await bench.call("block", late).status == 409) }
        }
    }

    @Test("A booked payment is answered from the ledger while the reader is in use")
    func beside() async throws {
        try await TillServerBench.withCard { bench in
            let paid = try await bench.call("pay", Self.pay)
            #expect(paid.status == 200)
            await bench.reader.holdWrites(true)
            let page = try await EventListener(bench)
            let torn = #"{"amount":"1.00","operation":"\#(Self.other)","again":true}"#
            async let unknown = bench.call("pay", torn)
            _ = try await page.next("operation", phase: "writing")
            try await bench.reader.take()
            await bench.reader.holdWrites(false)
            #expect(try await unknown.word == "outcome-unknown")
            async let waiting = bench.call("read")
            _ = try await page.next("operation", phase: "waiting")
            let again = try await bench.call("pay", Self.pay)
            #expect(again.status == 200 && again.json["replayed"] == .bool(true), "\(again.text)")
            let open = try await bench.call("pay", torn)
            #expect(open.status == 409 && open.word == "reader-taken")
            #expect(open.json["meaning"]?.string?.contains("still open") == true)
            for body in [#"{"amount":"9.00"}"#, #"{"amount":"9.00","operation":"\#(Self.new)"}"#] {
                let refused = try await bench.call("pay", body)
                #expect(refused.word == "reader-taken")
                #expect(refused.json["meaning"]?.string == "Nothing new was started.")
            }
            try await bench.reader.put()
            #expect(try await waiting.status == 200)
            #expect(try await bench.get("audit").json["open"] == .number("0"))
        }
    }

    @Test("Only one operation uses the reader, whatever ids are sent")
    func oneReader() async throws {
        try await TillServerBench.withCard(timeout: 120) { bench in
            #expect(try await bench.call("pay", Self.pay).status == 200)
            try await bench.takeCard()
            let page = try await EventListener(bench)
            async let waiting = bench.call("pay", #"{"amount":"1.00"}"#)
            _ = try await page.next("operation", phase: "waiting")
            let others = [
                "issue", "demo", "adopt", "scratch", "activate", "add", "close", "ticket/buy",
                "replace",
            ]
            try await withThrowingTaskGroup(of: (String, Asked).self) { group in
                for verb in others {
                    group.addTask {
                        let more =
                            switch verb {
                            case "add": #","amount":"4.50""#
                            case "replace": #","card":"04AC6B72BA6C80""#
                            default: ""
                            }
                        let body = #"{"operation":"\#(Self.id)"\#(more)}"#
                        return (verb, try await bench.call(verb, body))
                    }
                }
                for try await (verb, refused) in group {
                    #expect(refused.status == 409, "\(verb): \(refused.text)")
                    #expect(
                        ["reader-taken", "operation-mismatch"].contains(refused.word), "\(verb)")
                }
            }
            try await bench.reader.put()
            #expect(try await waiting.json["balance"]?.string == "14.50")
            #expect(await bench.reader.mostSelecting == 1)
        }
    }

    @Test("An invalid request does not use up its id")
    func mistaken() async throws {
        try await TillServerBench.withCard { bench in
            let none = #"{"amount":"0","operation":"\#(Self.id)"}"#
            #expect(try await bench.call("pay", none).status == 400)
            let paid = try await bench.call("pay", Self.pay)
            #expect(paid.json["balance"]?.string == "15.50", "\(paid.text)")
            // The ledger judges what comes under its ids.
            let other = #"{"amount":"1.00","operation":"\#(Self.id)"}"#
            #expect(try await bench.call("add", other).word == "operation-mismatch")
            #expect(try await bench.call("pay", Self.pay).json["replayed"] == .bool(true))
        }
    }

    @Test("An operation that never began is not found")
    func unknown() async throws {
        try await TillServerBench.with { bench in
            let path = "/api/v1/operations/\(Self.other)"
            for method in ["GET", "DELETE"] {
                let answer = try await bench.ask(method, path)
                #expect(answer.status == 404 && answer.word == "no-such-operation")
            }
            #expect(try await bench.get("operations/none").status == 400)
        }
    }

    @Test("A waiting payment can be stopped, and one that is being written cannot")
    func stopping() async throws {
        try await TillServerBench.withCard { bench in
            try await bench.reader.take()
            let books = try await bench.books()
            let page = try await EventListener(bench)
            async let waiting = bench.call("pay", Self.pay)
            _ = try await page.next("operation", phase: "waiting")
            let path = "/api/v1/operations/\(Self.id)"
            #expect(try await bench.ask("DELETE", path).status == 202)
            let stopped = try await waiting
            #expect(stopped.status == 409 && stopped.word == "cancelled")
            #expect(try await bench.books() == books)
            #expect(try await bench.ask("DELETE", path).status == 202)
            await bench.reader.holdWrites(true)
            try await bench.reader.put()
            async let writing = bench.call(
                "pay", #"{"amount":"4.50","operation":"\#(Self.other)"}"#)
            _ = try await page.next("operation", phase: "writing")
            let late = try await bench.ask("DELETE", "/api/v1/operations/\(Self.other)")
            #expect(late.status == 409 && late.word == "too-late")
            await bench.reader.holdWrites(false)
            #expect(try await writing.json["balance"]?.string == "15.50")
        }
    }

    @Test("A payment without a card in time is answered with 504, and nothing is booked")
    func noCard() async throws {
        try await TillServerBench.withCard(timeout: 0) { bench in
            try await bench.reader.take()
            let books = try await bench.books()
            let answer = try await bench.call("pay", Self.pay)
            #expect(answer.status == 504 && answer.word == "no-card")
            #expect(try await bench.books() == books)
        }
    }
}
