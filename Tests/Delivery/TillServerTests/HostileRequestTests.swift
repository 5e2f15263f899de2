import TestSupport
import Testing
import TextCodecs

@Suite("Hostile requests to the till server", .timeLimit(.minutes(5)))
struct HostileRequestTests {
    /// Runs the body with a card on the reader, and expects that nothing is booked and that the
    /// server still answers.
    private func unharmed(_ body: (TillServerBench) async throws -> Void) async throws {
        try await TillServerBench.withCard { bench in
            let books = try await bench.books()
            try await body(bench)
            #expect(try await bench.books() == books)
            #expect(try await bench.get("health").json["status"]?.string == "ok")
        }
    }

    private func expect(
        _ asked: Asked, _ status: Int, _ word: String? = nil, _ what: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(asked.status == status, "\(what): \(asked.text)", sourceLocation: location)
        #expect(
            asked.headers["content-type"] == "application/problem+json", "\(what)",
            sourceLocation: location)
        #expect(
            asked.json["status"]?.numberText == String(status), "\(what)",
            sourceLocation: location)
        #expect(
            asked.headers["x-content-type-options"] == "nosniff", "\(what)",
            sourceLocation: location)
        if let word { #expect(asked.word == word, "\(what)", sourceLocation: location) }
    }

    @Test("A wrong Authorization header is refused even if no login is needed")
    func wrong() async throws {
        try await TillServerBench.with { bench in
            for text in ["Bearer xx", "Bearer tapcard_xx", "Bearer ", "Basic eDp4"] {
                for path in ["taps", "card", "history", "events"] {
                    let asked = try await bench.ask(
                        "GET", "/api/v1/\(path)", headers: ["Authorization": text])
                    #expect(asked.status == 401, "\(path) \(text): \(asked.text)")
                }
            }
            #expect(try await bench.ask("GET", "/api/v1/card").status == 200)
        }
    }

    @Test("Malformed HTTP is refused")
    func malformed() async throws {
        try await unharmed { bench in
            let host = "Host: 127.0.0.1:\(bench.port)\r\n"
            let pay =
                "POST /api/v1/pay HTTP/1.1\r\n\(host)Authorization: Bearer \(bench.token)\r\n"
                + "Content-Type: application/json\r\n"
            let body = #"{"amount":"1.00"}"#
            for (status, text) in [
                (400, "GET /api/v1/card HTTP/1.1\r\n\(host)\(host)\r\n"),
                (400, "G<T /api/v1/card HTTP/1.1\r\n\(host)\r\n"),
                (400, "GET /api/../api/v1/card HTTP/1.1\r\n\(host)\r\n"),
                (400, "\(pay)Content-Length: 17\r\nContent-Length: 16\r\n\r\n\(body)"),
                (400, "\(pay)Content-Length: 17\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"),
                (501, "\(pay)Transfer-Encoding: gzip\r\n\r\n\(body)"),
                (413, "\(pay)Content-Length: 1000000000\r\n\r\n"),
                (
                    431,
                    "GET / HTTP/1.1\r\n\(host)X: \(String(repeating: "x", count: 9_000))\r\n\r\n"
                ),
            ] {
                let answer = try await RawClient(bench.port, saying: text).answer()
                expect(
                    Asked(status: answer.status, headers: answer.headers, text: answer.text),
                    status, "refused", String(text.prefix(300)))
            }
            // Anything but HTTP gets a short answer or none.
            for text in [
                "\u{16}\u{03}\u{01}\u{02}\r\n\r\n", "hello\r\n\r\n", "\r\n\r\n\r\n",
                "\(pay)Content-Length: +17\r\n\r\n\(body)",
            ] {
                let client = try RawClient(bench.port, saying: text)
                await client.finishSending()
                let rest = try await client.rest()
                #expect(!String(decoding: rest, as: UTF8.self).contains(" 200 "))
            }
        }
    }

    /// docs/API.md names these as the answers without our headers. A browser may take them for
    /// a page, so none may have a word of the request in it.
    @Test("A refusal by libmicrohttpd itself repeats nothing from the request")
    func bare() async throws {
        try await unharmed { bench in
            let script = "<script>alert(1)</script>"
            let host = "Host: 127.0.0.1:\(bench.port)\r\nX: \(script)\r\n"
            let long = script + String(repeating: "x", count: 20_000)
            for text in [
                "GET /\(script) HTTP/1.1\r\n\r\n", "GET /\(script) HTTP/2.0\r\n\(host)\r\n",
                "GET / HTTP/1.1\r\n\(host)\(script)\r\n\r\n",
                "POST / HTTP/1.1\r\n\(host)Content-Length: \(script)\r\n\r\n",
                "POST / HTTP/1.1\r\n\(host)Content-Length: 99999999999999999999999\r\n\r\n",
                "GET /\(long) HTTP/1.1\r\n\(host)\r\n",
                "GET / HTTP/1.1\r\n\(host)Y: \(long)\r\n\r\n",
            ] {
                let client = try RawClient(bench.port, saying: text)
                await client.finishSending()
                let answer = String(decoding: try await client.rest(), as: UTF8.self)
                // libmicrohttpd says some refusals twice.
                let statuses = answer.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
                let what = String(text.prefix(100))
                #expect(statuses.first != nil, "\(what)")
                #expect(Set(statuses).isSubset(of: [400, 413, 414, 431, 505]), "\(what)")
                #expect(!answer.contains("script"), "\(what)")
            }
        }
    }

    @Test("Unknown paths and methods are refused")
    func unknown() async throws {
        try await unharmed { bench in
            for path in [
                "/index.html", "/api", "/api/v1", "/api/v1/", "/api/v1/pay/", "/api/v1/PAY",
                "/api/v2/pay", "/api/v1/operations", "/api/v1/draws/", "//", "//api/v1/card",
                "/api//v1/card", #"/\"#, "/page/index.html", "/favicon.ico",
            ] {
                expect(try await bench.ask("GET", path), 404, "not-found", path)
            }
            for path in [
                "/..", "/%2e%2e", "/%2e%2e/etc/passwd", "/a/../../etc/passwd", "/%00",
                "/index.html%00.js", "/%zz", "/.", "/%c3%28", "/%2Fetc/passwd",
                "/api/v1/draws/a%2Fb", "/api%2Fv1%2fcard",
            ] {
                expect(try await bench.ask("GET", path), 400, "refused", path)
            }
            for (method, path, allowed) in [
                ("GET", "/api/v1/pay", "OPTIONS, POST"), ("PUT", "/api/v1/pay", "OPTIONS, POST"),
                ("POST", "/api/v1/card", "GET, HEAD, OPTIONS"),
                ("DELETE", "/", "GET, HEAD, OPTIONS"), ("TRACE", "/", "GET, HEAD, OPTIONS"),
                ("POST", "/api/v1/operations/x", "DELETE, GET, HEAD, OPTIONS"),
            ] {
                let asked = try await bench.ask(method, path)
                expect(asked, 405, "wrong-method", "\(method) \(path)")
                #expect(asked.headers["allow"] == allowed)
            }
        }
    }

    @Test("Invalid bodies, content types and queries are refused")
    func bodies() async throws {
        let deep = String(repeating: #"{"a":"#, count: 40) + "1" + String(repeating: "}", count: 40)
        try await unharmed { bench in
            for (body, word) in [
                (#"{"amount":"1.00""#, "not-json"), (#"{"amount":"1.00"} x"#, "not-json"),
                (#"{"amount":"1.00","amount":"2.00"}"#, "not-json"), (deep, "not-json"),
                ("{\"amount\":\"1.00\u{00}\"}", "not-json"), (#"{"amount":01}"#, "not-json"),
                (#""amount""#, "not-an-object"), ("[]", "not-an-object"), ("null", "not-an-object"),
                ("{}", "usage"), (#"{"amount":null}"#, "usage"), (#"{"amount":1}"#, "usage"),
                (#"{"amount":["1.00"]}"#, "usage"), (#"{"amount":{"a":1}}"#, "usage"),
                (#"{"amount":"1.00","reader":"sim"}"#, "usage"),
                (#"{"amount":"1.00","card":"1"}"#, "usage"),
                (#"{"amount":"1.00","operation":"1"}"#, "usage"),
                (#"{"amount":"1.00","operation":7}"#, "usage"),
                (#"{"amount":"1.00","client":true}"#, "usage"),
                (#"{"amount":"--json"}"#, "bad-amount"), (#"{"amount":"-1.00"}"#, "bad-amount"),
                (#"{"amount":"0"}"#, "bad-amount"), (#"{"amount":"1.005"}"#, "bad-amount"),
                (#"{"amount":"4,5"}"#, "bad-amount"), (#"{"amount":"NaN"}"#, "bad-amount"),
                (#"{"amount":"1e3"}"#, "bad-amount"), (#"{"amount":""}"#, "bad-amount"),
                (#"{"amount":" 1"}"#, "bad-amount"), (#"{"amount":"١"}"#, "bad-amount"),
                (#"{"amount":"99999999999999999999999"}"#, "usage"),
            ] {
                let asked = try await bench.call("pay", body)
                expect(asked, 400, word, body)
            }
            expect(
                try await bench.call("pay", #"{"amount":"999999999999"}"#), 409,
                "limit-exceeded", "too much for any card")
            expect(
                try await bench.call("pay", #"{"amount":"99.00"}"#), 409,
                "insufficient-balance", "too much for this one")
            for type in [
                "text/plain", "", "application/x-www-form-urlencoded", "application/jsonp",
            ] {
                let asked = try await bench.ask(
                    "POST", "/api/v1/pay", #"{"amount":"1.00"}"#, headers: ["Content-Type": type])
                expect(asked, 415, "wrong-content-type", type)
            }
            let huge = #"{"amount":"\#(String(repeating: "1", count: 70_000))"}"#
            expect(try await bench.call("pay", huge), 413, "refused", "huge")
            #expect(try await bench.get("history?last=2.0").status == 200)
            for query in [
                "?card=x", "?card=04AC6B72BA6C80&card=04AC6B72BA6C80", "?unknown=1", "?last=0",
                "?last=1001", "?last=2.5", "?last=2.", "?last=", "?last=two",
            ] {
                expect(try await bench.get("history\(query)"), 400, "usage", query)
            }
        }
    }

    @Test("A refusal does not repeat long input", arguments: ["x", "\u{202E}", "\\u0007"])
    func echoes(_ character: String) async throws {
        let long = String(repeating: character, count: 5_000)
        let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
        try await unharmed { bench in
            for (verb, body) in [
                ("pay", #"{"amount":"1.00","operation":"\#(long)"}"#),
                ("pay", #"{"amount":"1.00","client":"\#(long)"}"#),
                ("pay", #"{"amount":"1.00","\#(long)":"x"}"#),
                ("pay", #"{"amount":"\#(long)","operation":"\#(id)"}"#),
                ("refund", #"{"of":"\#(long)"}"#), ("block", #"{"card":"\#(long)"}"#),
                ("issue", #"{"name":"\#(long)"}"#), ("session", #"{"\#(long)":"x"}"#),
            ] {
                let asked = try await bench.call(verb, body)
                #expect((400...409).contains(asked.status), "\(verb) \(asked.status)")
                #expect(asked.text.utf8.count < 2_000, "\(verb): \(asked.text.prefix(300))")
            }
            let plain = String(repeating: "x", count: 5_000)
            let asked = try await bench.ask("GET", "/api/v1/operations/\(plain)")
            #expect(asked.status == 400 && asked.text.utf8.count < 1_000)
            let method = try await bench.ask(plain, "/api/v1/pay")
            #expect(method.status == 405 && method.text.utf8.count < 1_000)
        }
    }

    @Test("Foreign host names and pages of other sites are refused")
    func origins() async throws {
        try await unharmed { bench in
            func pay(_ headers: [String: String]) async throws -> Asked {
                try await bench.ask(
                    "POST", "/api/v1/pay", #"{"amount":"1.00"}"#, headers: headers)
            }
            for host in [
                "evil.example", "evil.example:\(bench.port)", "127.0.0.1", "localhost:1",
                "127.0.0.1:\(bench.port)@evil.example", "[::1]",
            ] {
                expect(try await pay(["Host": host]), 403, "forbidden-host", host)
                let page = try await bench.ask("GET", "/", headers: ["Host": host])
                expect(page, 403, "forbidden-host", host)
            }
            for origin in [
                "http://evil.example", "null", "https://127.0.0.1:\(bench.port)",
                "http://127.0.0.1:\(bench.port).evil.example", "http://localhost:\(bench.port)",
                "http://127.0.0.1",
            ] {
                expect(try await pay(["Origin": origin]), 403, "forbidden-origin", origin)
            }
            for site in ["cross-site", "same-site", "x"] {
                let headers = ["Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"]
                expect(try await pay(headers), 403, "forbidden-origin", site)
                for path in ["/api/v1/card", "/api/v1/events", "/api/openapi.json", "/metrics"] {
                    let asked = try await bench.ask("GET", path, headers: headers)
                    expect(asked, 403, "forbidden-origin", "\(site) \(path)")
                }
                // A link may lead to the page; no other page may embed it.
                #expect(try await bench.ask("GET", "/", headers: headers).status == 200)
                let embedded = ["Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"]
                expect(
                    try await bench.ask("GET", "/", headers: embedded), 403, "forbidden-origin",
                    site)
            }
        }
    }

    @Test("The server's own names and its own origin are accepted")
    func ownOrigin() async throws {
        try await TillServerBench.with { bench in
            for name in ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"] {
                let host = "\(name):\(bench.port)"
                let asked = try await bench.ask(
                    "GET", "/api/v1/card",
                    headers: [
                        "Host": host, "Origin": "http://\(host)", "Sec-Fetch-Site": "same-origin",
                    ])
                #expect(asked.status == 200, "\(host): \(asked.text)")
            }
        }
    }

    @Test(
        "A page cannot kill the program that serves it",
        arguments: ["2 killed-after", "killed-before", "write 1 killed-after"])
    func killing(_ fault: String) async throws {
        try await unharmed { bench in
            let asked = try await bench.call("simulator/tear", #"{"fault":"\#(fault)"}"#)
            expect(asked, 400, "usage", fault)
        }
    }

    @Test("Missing, made-up and returned tokens are refused")
    func tokens() async throws {
        try await unharmed { bench in
            let session = try await bench.ask("POST", "/api/v1/session", "{}")
            let given = try #require(session.json["token"]?.string)
            let back = ["Authorization": "Bearer \(given)"]
            let gone = try await bench.ask("DELETE", "/api/v1/session", headers: back)
            #expect(gone.status == 204)
            for (header, word) in [
                ("", "token-missing"), ("Basic eDp5", "token-missing"),
                (bench.token, "token-missing"), ("Bearer ", "stale-token"),
                ("Bearer \(bench.token.dropLast())", "stale-token"),
                ("Bearer \(bench.token)0", "stale-token"), ("Bearer \(given)", "stale-token"),
            ] {
                let headers = ["Authorization": header]
                for path in ["pay", "read", "block", "simulator/take", "mastermind/login"] {
                    let asked = try await bench.ask(
                        "POST", "/api/v1/\(path)", #"{"amount":"1.00"}"#, headers: headers)
                    expect(asked, 401, word, "\(header) \(path)")
                }
                let id = "/api/v1/operations/0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
                expect(try await bench.ask("DELETE", id, headers: headers), 401, word, header)
            }
            // The scheme has no capitals of its own.
            let id = "/api/v1/operations/0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"
            let known = ["Authorization": "bEARER \(bench.token)"]
            let asked = try await bench.ask("DELETE", id, headers: known)
            #expect(asked.status == 404, "\(asked.text)")
        }
    }
}
