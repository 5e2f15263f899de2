import CustomerServer
import LedgerConformance
import Tags
import TestSupport
import Testing
import WebServer

/// The listener itself, asked over a socket.
@Suite("The customer page's listener", .timeLimit(.minutes(5))) struct ListenerTests {
    private static func served(
        names: [String] = [],
        _ body: (CardBench, UInt16) async throws -> Void
    ) async throws {
        let bench = CardBench()
        try await LedgerTill(bench.ledger).complete(.issue(2000), id: 1)
        let server = try CustomerServer.start(
            at: CustomerServer.Place(address: "127.0.0.1", port: 0, names: names), bench.routes)
        let digits = server.address.split { !$0.isNumber }.last.flatMap { UInt16($0) }
        try await body(bench, try #require(digits))
        await server.stop()
    }

    private static func ask(
        _ port: UInt16, _ line: String, host: String? = nil, _ more: String = "",
        body: String = ""
    ) async throws -> RawAnswer {
        let host = host.map { "Host: \($0)\r\n" } ?? "Host: 127.0.0.1:\(port)\r\n"
        let length =
            body.isEmpty
            ? ""
            : "Content-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: \(body.utf8.count)\r\n"
        let text = "\(line) HTTP/1.1\r\n\(host)Connection: close\r\n\(more)\(length)\r\n\(body)"
        return try await RawClient(port, saying: text)
            .answer(toHead: line.hasPrefix("HEAD"))
    }

    @Test("Every answer has the security headers")
    func protectsEveryAnswer() async throws {
        try await ListenerTests.served { bench, port in
            let query = bench.address(1).query
            for (line, status) in [
                ("GET /c?\(query)", 200), ("HEAD /c?\(query)", 200), ("GET /c", 403),
                ("GET /", 404), ("DELETE /c", 405), ("OPTIONS /c", 204), ("POST /c", 403),
            ] {
                let answer = try await ListenerTests.ask(port, line)
                #expect(answer.status == status, "\(line)")
                #expect(answer.headers["cache-control"] == "no-store", "\(line)")
                #expect(answer.headers["referrer-policy"] == "no-referrer", "\(line)")
                #expect(answer.headers["x-content-type-options"] == "nosniff", "\(line)")
                let policy = answer.headers["content-security-policy"] ?? ""
                for part in [
                    "default-src 'none'", "script-src 'sha256-", "frame-ancestors 'none'",
                    "form-action 'self'", "base-uri 'none'",
                ] {
                    #expect(policy.contains(part), "\(line): \(part)")
                }
                #expect(!policy.contains("unsafe"), "\(line)")
            }
        }
    }

    @Test("The listener has none of the till's routes")
    func hasNoRouteOfATill() async throws {
        try await ListenerTests.served { _, port in
            for line in [
                "GET /api/v1/card", "POST /api/v1/pay", "POST /api/v1/session", "GET /metrics",
                "GET /api/v1/health", "GET /index.html", "GET /tills/1/", "GET /app.js",
                "GET /c/", "GET /C", "GET //c", "GET /icon.svg",
            ] {
                let answer = try await ListenerTests.ask(port, line)
                #expect(answer.status == 404, "\(line)")
            }
        }
    }

    @Test("The listener answers only under its own host names")
    func answersUnderItsOwnNameAlone() async throws {
        try await ListenerTests.served(names: ["Cards.example"]) { bench, port in
            let body = bench.address(1).query
            for host in [
                "evil.example", "cards.example.evil.example", "127.0.0.1:1", "", "localhost:x",
                "cards.example:1",
            ] {
                let answer = try await ListenerTests.ask(port, "POST /c", host: host, body: body)
                #expect(answer.status == 403 && !answer.text.contains("Balance"), "\(host)")
            }
            for host in ["cards.example", "CARDS.example:\(port)", "localhost:\(port)"] {
                #expect(
                    try await ListenerTests.ask(port, "GET /c?\(body)", host: host).status == 200,
                    "\(host)")
            }
            let shown = try await ListenerTests.ask(
                port, "POST /c", host: "cards.example", body: body)
            #expect(shown.status == 200 && shown.text.contains("Balance"))
        }
    }

    @Test("Large bodies, paths and headers are refused")
    func takesNothingLarge() async throws {
        try await ListenerTests.served { bench, port in
            let body = bench.address(1).query
            let padded = body + String(repeating: "&", count: 1_000)
            #expect(try await ListenerTests.ask(port, "POST /c", body: padded).status == 413)
            let claimed = try await RawClient(
                port,
                saying: "POST /c HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
                    + "Content-Length: 1000000000\r\n\r\n"
            ).answer()
            #expect(claimed.status == 413)
            let long = String(repeating: "A", count: 9_000)
            #expect(try await ListenerTests.ask(port, "GET /c?p=\(long)").status == 431)
            #expect(
                try await ListenerTests.ask(port, "GET /c", "Cookie: \(long)\r\n").status == 431)
            #expect(try await ListenerTests.ask(port, "POST /c", body: body).status == 200)
        }
    }

    @Test("Ambiguous requests are refused")
    func refusesWhatIsAmbiguous() async throws {
        try await ListenerTests.served { bench, port in
            let (host, body) = ("Host: 127.0.0.1:\(port)\r\n", bench.address(1).query)
            for (status, text) in [
                (400, "POST /c HTTP/1.1\r\n\(host)\(host)Content-Length: 0\r\n\r\n"),
                (
                    400,
                    "POST /c HTTP/1.1\r\n\(host)Content-Length: \(body.utf8.count)\r\n"
                        + "Content-Length: 1\r\n\r\n\(body)"
                ),
                (411, "POST /c HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                (400, "GET /%2e%2e/c HTTP/1.1\r\n\(host)\r\n"),
                (400, "GET http://evil.example/c HTTP/1.1\r\n\(host)\r\n"),
            ] {
                let answer = try await RawClient(port, saying: text).answer()
                #expect(answer.status == status, "\(text.prefix(60))")
                #expect(!answer.text.contains("evil"))
            }
            #expect(try await ListenerTests.ask(port, "POST /c", body: body).status == 200)
        }
    }
}
