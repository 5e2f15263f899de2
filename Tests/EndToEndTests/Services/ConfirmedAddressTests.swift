import TestSupport
import Testing

@Suite("Confirming the address of a service", .ownThread, .timeLimit(.minutes(5)))
struct ConfirmedAddressTests {
    private static let lottery = "https://agimenez95.github.io/LottoDrawsJSON"
    private static let activation = "https://api.o2.sk"

    /// A till with a scratched card, whose requests all go through a proxy that counts them.
    private func served(_ body: (Till, Relay) throws -> Void) throws {
        // Nobody listens there.
        try Relay.serving(9) { proxy in
            let address = "http://127.0.0.1:\(proxy.port)"
            let till = try Till([
                "http_proxy": address, "https_proxy": address,
                "TAPCARD_MASTERMIND_PASSWORD": "sandbox",
            ])
            try till.step("issue --balance 20")
            try till.step("scratch")
            try body(till, proxy)
        }
    }

    @Test("A command sends nothing to a service before its address is confirmed")
    func commands() throws {
        try served { till, proxy in
            for line in ["draws", "ticket buy", "activate", "mastermind login amanda"] {
                let ended = try till.run(["--json"] + till.words(of: line))
                #expect(ended.status == 4, "\(line)")
                #expect(ended.output.contains(#""error":"address-unconfirmed""#), "\(line)")
            }
            #expect(proxy.connections == 0)
            let card = try till.step("--json read")
            #expect(card.contains(#""balance":"20.00""#) && card.contains(#""state":"scratched""#))
            try till.step("config set lottery-url \(Self.lottery)")
            #expect(try till.run(["draws"]).status == 8)
            #expect(proxy.connections > 0)
        }
    }

    @Test("The page sends nothing until the address is confirmed there or set by a command")
    func page() throws {
        try served { till, proxy in
            let page = try CashierPage(till)
            let token = try page.token()
            func post(_ path: String, _ body: String = "{}") throws -> String {
                try page.post("/api/v1/\(path)", body, token)
            }
            #expect(try page.get("/api/v1/draws").hasSuffix(" 409"))
            for (path, body) in [
                ("ticket/buy", "{}"), ("activate", "{}"),
                ("mastermind/login", #"{"user":"a","password":"b"}"#),
            ] {
                let refused = try post(path, body)
                #expect(refused.contains(#""error":"address-unconfirmed""#), "\(path)")
                #expect(refused.hasSuffix(" 409"), "\(path)")
            }
            #expect(proxy.connections == 0)

            for (setting, address) in [
                ("lottery-url", "https://lottery.example"), ("ledger", "/tmp/ledger"),
                ("lottery-url", Self.activation), ("nothing", ""),
            ] {
                let body = #"{"setting":"\#(setting)","address":"\#(address)"}"#
                #expect(try post("settings", body).hasSuffix(" 400"), "\(body)")
            }
            let body = #"{"setting":"lottery-url","address":"\#(Self.lottery)"}"#
            #expect(try page.post("/api/v1/settings", body).hasSuffix(" 401"))
            #expect(try page.get("/api/v1/draws").hasSuffix(" 409"))
            #expect(try post("settings", body) == " 204")
            #expect(try page.get("/api/v1/draws").hasSuffix(" 502"))
            let first = proxy.connections
            #expect(first > 0)
            #expect(try till.step("config get lottery-url") == Self.lottery)

            try till.step("config set activation-url \(Self.activation)")
            #expect(try post("activate").hasSuffix(" 502"))
            #expect(proxy.connections > first)
            try page.stop()
        }
    }

    @Test("The page cannot confirm an address while a different one is set")
    func otherAddress() throws {
        try served { till, _ in
            let other = "https://lottery.example"
            let page = try CashierPage(
                till, with: ["TAPCARD_ACTIVATION_URL": "https://activation.example"])
            let token = try page.token()
            func confirm(_ setting: String, _ address: String) throws -> String {
                let body = #"{"setting":"\#(setting)","address":"\#(address)"}"#
                return try page.post("/api/v1/settings", body, token)
            }
            try till.step("config set lottery-url \(other)")
            for (setting, address) in [
                ("lottery-url", Self.lottery), ("activation-url", Self.activation),
            ] {
                let refused = try confirm(setting, address)
                #expect(refused.contains(#""error":"operator-needed""#), "\(refused)")
                #expect(refused.hasSuffix(" 409"), "\(refused)")
            }
            #expect(try till.step("config get lottery-url") == other)
            let file = try till.text(
                of: "\(till.home)/.config/tapcard/simulated/config.json")
            #expect(!file.contains("activation-url"))
            // The same address again is no other one.
            try till.step("config set lottery-url \(Self.lottery)")
            #expect(try confirm("lottery-url", Self.lottery) == " 204")
            try page.stop()
        }
    }

    @Test("An address cannot be confirmed on a page that other machines can reach")
    func network() throws {
        try served { till, proxy in
            let page = try CashierPage(
                till, ["--listen", "0.0.0.0", "--name", "localhost", "--insecure"])
            let token = try page.token()
            let body = #"{"setting":"lottery-url","address":"\#(Self.lottery)"}"#
            let refused = try page.post("/api/v1/settings", body, token)
            #expect(refused.contains(#""error":"operator-needed""#) && refused.hasSuffix(" 409"))
            #expect(try page.get("/api/v1/draws").hasSuffix(" 409"))
            #expect(proxy.connections == 0)
            try page.stop()
        }
    }

    @Test("An address cannot be confirmed on a page where cashiers log in")
    func cashiers() throws {
        try served { till, proxy in
            let password = "sesame-open"
            let added = try till.run(
                ["cashiers", "add", "Ann"], with: ["TAPCARD_CASHIER_PASSWORD": password])
            #expect(added.status == 0)
            let page = try CashierPage(till)
            let token = try page.token(of: "Ann", password)
            let body = #"{"setting":"lottery-url","address":"\#(Self.lottery)"}"#
            let refused = try page.post("/api/v1/settings", body, token)
            #expect(refused.contains(#""error":"operator-needed""#) && refused.hasSuffix(" 409"))
            #expect(try page.get("/api/v1/draws", token).hasSuffix(" 409"))
            #expect(proxy.connections == 0)
            try page.stop()
        }
    }
}
