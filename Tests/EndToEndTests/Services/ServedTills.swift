import Testing
import TextCodecs

/// A server with several tills, asked as the page of each would.
final class ServedTills {
    let page: CashierPage
    private let token: [String]

    init(_ till: Till, _ words: [String]) throws {
        page = try CashierPage(till, words)
        token = try page.token()
    }

    /// The answer of a till, with its status.
    func call(
        _ verb: String, _ body: String = "{}", at number: Int
    ) throws -> (status: String, json: JSONValue) {
        try answer(page.post("/tills/\(number)/api/v1/\(verb)", body, token))
    }

    func get(_ what: String, at number: Int) throws -> JSONValue {
        try answer(page.get("/tills/\(number)/api/v1/\(what)", token)).json
    }

    /// Begins a request that waits for a card, or works on one.
    func begin(_ verb: String, _ body: String, at number: Int) throws -> ChildProcess {
        try page.begin(
            "/tills/\(number)/api/v1/\(verb)",
            ["--header", "Content-Type: application/json", "--data", body] + token)
    }

    func answer(_ text: String) throws -> (status: String, json: JSONValue) {
        (String(text.suffix(3)), try JSONValue.parsing(Array(text.utf8.dropLast(4))))
    }

    /// Waits until the reading of the card at a till is as wanted.
    func wait(
        _ what: Comment, at number: Int, until isSo: (JSONValue) -> Bool
    ) throws {
        try page.process.wait(what) { isSo(try get("card", at: number)) }
    }

    /// A payment that must succeed; returns the new balance.
    func pay(_ amount: String, at number: Int) throws -> String {
        let paid = try call("pay", #"{"amount":"\#(amount)","again":true}"#, at: number)
        #expect(paid.status == "200", "\(paid.json.text)")
        return paid.json["balance"]?.string ?? ""
    }

    /// Moves a simulated tag to the reader of a till, and waits until it is read there.
    func carry(_ uid: String, to number: Int) throws {
        let put = try call("simulator/put", #"{"tags":["\#(uid)"]}"#, at: number)
        #expect(put.status == "200", "\(put.json.text)")
        try wait("till \(number) reads it", at: number) {
            $0["read"]?["uid"]?.string == uid
        }
    }
}
