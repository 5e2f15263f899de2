import StationFiles
import TestSupport
import Testing
import TextCodecs

/// Requests that show the check of roles something other than what they do.
extension RoleTests {
    @Test("A role is checked for the values that the call uses, wherever else others stand")
    func sameValues() async throws {
        try await with { bench, tokens in
            let confirmed = #"{"amount":"80","confirmed":true}"#
            let topUp = try await post(bench, "add", confirmed, tokens[.owner])
            let (id, uid) = (
                try #require(topUp.json["operation"]?.string),
                try #require(topUp.json["uid"]?.string)
            )
            let refund = "{\"payment\":\"\(id)\"}"
            for query in ["amount=1", "operation=\(id)"] {
                let refused = try await post(
                    bench, "refund?\(query)", refund, tokens[.cashier])
                #expect(refused.word == "role-needed", "\(query): \(refused.text)")
            }
            let close = try await post(bench, "close?card=04000000000001", "{}", tokens[.cashier])
            #expect(close.word == "role-needed", "\(close.text)")
            for (path, body) in [
                ("history", "{\"card\":\"\(uid)\"}"), ("shift?shift=\(id)", "{\"shift\":null}"),
            ] {
                let refused = try await bench.ask(
                    "GET", "/api/v1/\(path)", body, headers: headers(tokens[.seller]))
                #expect(refused.word == "role-needed", "\(path): \(refused.text)")
            }
        }
    }

    @Test("A cashier's limit counts all that a refund returns, on the card and in cash")
    func limitWithRest() async throws {
        try await with { bench, tokens in
            let sale = """
                {"lines":[{"price":"60.00"}],"rest":{"tender":"cash","amount":"55.00"}}
                """
            _ = try await post(bench, "add", #"{"amount":"10"}"#, tokens[.owner])
            let sold = try await post(bench, "sell", sale, tokens[.owner])
            let id = try #require(sold.json["operation"]?.string, "\(sold.text)")
            let refund = "{\"payment\":\"\(id)\"}"
            #expect(try await post(bench, "refund", refund, tokens[.cashier]).word == "role-needed")
            // A part of what the card paid returns no cash.
            let part = "{\"payment\":\"\(id)\",\"amount\":\"1.00\"}"
            let refunded = try await post(bench, "refund", part, tokens[.cashier])
            #expect(refunded.status == 200, "\(refunded.text)")
        }
    }

    @Test("The drawer's figures reach no seller, neither by events nor by the operation")
    func drawer() async throws {
        try await with { bench, tokens in
            let id = "6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f61"
            let listener = try await EventListener(
                bench, headers: headers(tokens[.seller]))
            let open = #"{"float":"77.00","operation":"\#(id)"}"#
            #expect(try await post(bench, "shift/open", open, tokens[.owner]).status == 200)
            let event = try await listener.next("operation", phase: "done")
            #expect(event["verb"]?.string == "shift/open" && event["answer"] == .null)
            for (role, isSeen) in [(CashierRole.seller, false), (.owner, true)] {
                let operation = try await bench.ask(
                    "GET", "/api/v1/operations/\(id)", headers: headers(tokens[role]))
                #expect((operation.json["answer"] != .null) == isSeen, "\(operation.text)")
            }
        }
    }

    @Test("The code of a new till reaches owners only, neither by events nor by the operation")
    func tillCode() async throws {
        try await with { bench, tokens in
            let id = "6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5f62"
            let listener = try await EventListener(bench, headers: headers(tokens[.cashier]))
            let add = #"{"name":"Bar","operation":"\#(id)"}"#
            #expect(try await post(bench, "tills/add", add, tokens[.cashier]).word == "role-needed")
            let added = try await post(bench, "tills/add", add, tokens[.owner])
            #expect(added.json["code"]?.string != nil, "\(added.text)")
            let event = try await listener.next("operation", phase: "done")
            #expect(event["verb"]?.string == "tills/add" && event["answer"] == .null)
            for role in CashierRole.allCases {
                let operation = try await bench.ask(
                    "GET", "/api/v1/operations/\(id)", headers: headers(tokens[role]))
                #expect((operation.json["answer"] != .null) == (role == .owner), "\(role)")
            }
        }
    }
}
