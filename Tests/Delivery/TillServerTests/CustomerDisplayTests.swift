import CardCryptography
import StationFiles
import TapcardDomain
import TestSupport
import Testing
import TextCodecs

@Suite("The customer's display", .timeLimit(.minutes(5)))
struct CustomerDisplayTests {
    private static let sale = """
        {"lines":[{"name":"Coffee","quantity":2,"price":"7.00"},\
        {"name":"Cup returned","quantity":1,"price":"-1.00"}],"sum":"6.00"}
        """

    /// The next event in this phase. No event may contain the customer's name or card.
    private func next(_ phase: String, _ display: EventListener) async throws -> JSONValue {
        while let event = try await display.next() {
            #expect(event.name == "display")
            let text = event.data.text
            #expect(!text.contains("Amanda") && !text.contains("uid"), "\(text)")
            #expect(text.firstMatch(of: /[0-9A-F]{14}/) == nil, "\(text)")
            if event.data["phase"]?.string == phase { return event.data }
        }
        throw EventListener.Ended(waitedFor: phase)
    }

    private func withDisplay(
        _ body: (TillServerBench, EventListener) async throws -> Void
    ) async throws {
        try await TillServerBench.withCard { bench in
            try await body(bench, try await EventListener(bench, to: "display/events"))
        }
    }

    @Test("It shows the sale, then that it is paid, and the new balance")
    func paid() async throws {
        try await withDisplay { bench, display in
            #expect(try await next("idle", display)["sum"] == .null)
            #expect(try await bench.call("display", Self.sale).status == 204)
            let sale = try await next("sale", display)
            #expect(sale["sum"]?.string == "6.00")
            #expect(sale["lines"]?.array?.first?["name"]?.string == "Coffee")
            #expect(sale["lines"]?.array?.last?["price"]?.string == "-1.00")
            #expect(try await bench.call("pay", #"{"amount":"6.00"}"#).status == 200)
            #expect(try await next("working", display)["sum"]?.string == "6.00")
            let paid = try await next("paid", display)
            #expect(paid["amount"]?.string == "6.00" && paid["balance"]?.string == "14.00")
            // The page clears its sale at once, and the customer still sees that it is paid.
            #expect(try await bench.call("display").status == 204)
            let late = try await EventListener(bench, to: "display/events")
            #expect(try await next("paid", late)["lines"] == .array([]))
            #expect(try await bench.call("display", Self.sale).status == 204)
            #expect(try await next("sale", display)["balance"] == .null)
            #expect(try await bench.call("display", "{}").status == 204)
            #expect(try await next("idle", display)["verb"] == .null)
        }
    }

    @Test("It shows why a payment was refused, and nothing of a question for the cashier")
    func refused() async throws {
        try await withDisplay { bench, display in
            #expect(try await bench.call("pay", #"{"amount":"99"}"#).word == "insufficient-balance")
            let refused = try await next("refused", display)
            #expect(refused["reason"]?.string == "insufficient-balance")
            #expect(refused["amount"] == .null && refused["balance"] == .null)
            #expect(try await bench.call("pay", #"{"amount":"1"}"#).status == 200)
            #expect(try await next("paid", display)["verb"]?.string == "pay")
            #expect(try await bench.call("pay", #"{"amount":"1"}"#).word == "same-card")
            #expect(try await bench.call("display", Self.sale).status == 204)
            #expect(try await next("sale", display)["reason"] == .null)
        }
    }

    @Test("Undoing a payment is a refund, and undoing a top-up is a payout")
    func undone() async throws {
        try await withDisplay { bench, display in
            for (call, verb, shown) in [("pay", "pay", "refund"), ("add", "add", "close")] {
                let done = try await bench.call(call, #"{"amount":"2"}"#)
                #expect(try await next("paid", display)["verb"]?.string == verb)
                let id = try #require(done.json["operation"]?.string, "\(done.text)")
                #expect(try await bench.call("refund", "{\"payment\":\"\(id)\"}").status == 200)
                let undone = try await next("paid", display)
                #expect(undone["verb"]?.string == shown && undone["amount"]?.string == "2.00")
            }
        }
    }

    @Test("An outcome disappears by itself")
    func expires() async throws {
        try await withDisplay { bench, display in
            #expect(try await bench.call("pay", #"{"amount":"1"}"#).status == 200)
            _ = try await next("paid", display)
            _ = try await next("idle", display)
        }
    }

    @Test("The balance is not shown if the setting is off")
    func withoutBalance() async throws {
        let environment = ["TAPCARD_DISPLAY_BALANCE": "false"]
        try await TillServerBench.with(environment: environment) { bench in
            try await bench.issue()
            let display = try await EventListener(bench, to: "display/events")
            #expect(try await bench.call("pay", #"{"amount":"1"}"#).status == 200)
            let shown = try await next("paid", display)
            #expect(shown["amount"]?.string == "1.00" && shown["balance"] == .null)
        }
    }

    @Test("A malformed sale is refused, and the display stays as it is")
    func malformed() async throws {
        try await withDisplay { bench, display in
            _ = try await next("idle", display)
            let line = #"{"name":"Tea","quantity":1,"price":"2"}"#
            for body in [
                #"{"sum":5}"#, #"{"sum":"five"}"#, #"{"sum":"--5"}"#, #"{"total":"5"}"#,
                #"{"lines":[{"name":"Tea"}]}"#, #"{"lines":["Tea"]}"#,
                #"{"lines":[{"name":"","quantity":1,"price":"2"}]}"#,
                #"{"lines":[{"name":"Tea","quantity":1.5,"price":"2"}]}"#,
                "{\"lines\":[\(Array(repeating: line, count: 201).joined(separator: ","))]}",
            ] {
                #expect(try await bench.call("display", body).status == 400, "\(body)")
            }
            #expect(try await bench.call("display", Self.sale).status == 204)
            let shown = try await display.next()
            #expect(shown?.data["sum"]?.string == "6.00")
        }
    }

    @Test("A token for the display allows nothing else, and no other token allows the display")
    func token() async throws {
        try await TillServerBench.with { bench in
            func token(_ right: APIToken.Right) throws -> [String: String] {
                let text = APIToken.text((0..<32).map { _ in UInt8.random(in: 0...255) })
                try bench.tokenFile.add(
                    APIToken(
                        "\(right)", right, text: text, origins: [], reader: nil, expires: nil,
                        added: Timestamp(milliseconds: 1_700_000_000_000)))
                return ["Authorization": "Bearer \(text)"]
            }
            let display = try token(.display)
            let shown = try await EventListener(bench, to: "display/events", headers: display)
            _ = try await next("idle", shown)
            for (method, path) in [
                ("POST", "tag/read"), ("POST", "tag/write"), ("GET", "taps"),
            ] {
                let asked = try await bench.ask(
                    method, "/api/v1/\(path)", method == "POST" ? "{}" : nil, headers: display)
                #expect(asked.word == "token-forbidden", "\(path): \(asked.text)")
            }
            for (method, path) in [("GET", "card"), ("POST", "display"), ("GET", "events")] {
                let asked = try await bench.ask(
                    method, "/api/v1/\(path)", method == "POST" ? "{}" : nil, headers: display)
                #expect(asked.word == "stale-token", "\(path): \(asked.text)")
            }
            for right in [APIToken.Right.watch, .tags] {
                let asked = try await bench.ask(
                    "GET", "/api/v1/display/events", headers: try token(right))
                #expect(asked.word == "token-forbidden", "\(asked.text)")
            }
            #expect(try bench.tokenFile.revoke("display"))
            while try await shown.next() != nil {}
        }
    }

    @Test("With cashiers, a display on this machine needs no login, and one behind a proxy does")
    func login() async throws {
        try await TillServerBench.with { bench in
            _ = try bench.cashierFile.add(
                try CashierName("Ann"), .init("sesame-open", salt: [UInt8](repeating: 1, count: 16))
            )
            let display = try await EventListener(bench, to: "display/events")
            _ = try await next("idle", display)
            let forwarded = ["Authorization": "", "X-Forwarded-For": "192.0.2.7"]
            let asked = try await bench.ask(
                "GET", "/api/v1/display/events", headers: forwarded)
            #expect(asked.word == "login-needed", "\(asked.text)")
        }
    }
}
