import BlockingLane
import RawHTTP
import Testing
import WebServer

/// What is no request, or too much of one. Whatever comes, the server goes on for others.
@Suite(.timeLimit(.minutes(5))) struct RefusalTests {
    private let server: WebServer
    private let asked = Guarded(0)

    init() throws {
        let settings = ServedExamples.settings {
            $0.bodyBytes = 1000
            $0.headerBytes = 4000
        }
        server = try ServedExamples.start(settings) { [asked] request in
            if request.path != "/alive" { asked.withLock { $0 += 1 } }
            return await ServedExamples.mirror(request)
        }
    }

    /// The status, and nil where the server hangs up without one; no handler has been asked.
    private func refusal(_ text: String) async throws -> Int? {
        let client = try RawClient(server.port)
        await client.sendWhatIsTaken(Array(text.utf8))
        await client.finishSending()
        let rest = try await client.rest()
        #expect(asked.withLock { $0 } == 0)
        let isAlive = try await exchange(server.port, "GET /alive HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(isAlive.text == "GET /alive ? 0")
        guard !rest.isEmpty else { return nil }
        let text = String(decoding: rest, as: UTF8.self)
        // libmicrohttpd 0.9.75 says some refusals twice; nothing else may be answered behind one.
        let statuses = text.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
        #expect(Set(statuses).count == 1)
        return statuses.first
    }

    @Test(arguments: [
        // Smuggling: what is behind the blank line might be a second request.
        "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 37\r\n\r\n"
            + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 37\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length : 37\r\n\r\n"
            + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n",
        "GET /x HTTP/1.1\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
        "GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a\u{0} HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /\u{0}a?b HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a/../b HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET x HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET  HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a\u{1} HTTP/1.1\r\nHost: x\r\n\r\n",
    ])
    func whatIsMalformedIsRefused(_ text: String) async throws {
        #expect(try await refusal(text) == 400)
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}\u{0}\u{5}\r\n\r\n", "GET\r\n\r\n", "\r\n\r\n\r\n",
        "GET /a b HTTP/1.1\r\n\r\n",
        "GET /x HTTP/1.1\r\nHo", "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab", "",
        "GET /x nothing\r\n\r\n",
    ])
    func whatIsNoRequestGetsNoAnswerThatHelps(_ text: String) async throws {
        let status = try await refusal(text)
        #expect(status == nil || status == 400)
    }

    @Test func anotherVersionIsRefused() async throws {
        #expect(try await refusal("GET /x HTTP/2.0\r\nHost: x\r\n\r\n") == 505)
        #expect(try await refusal("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == 505)
    }

    @Test func anUnknownEncodingIsRefused() async throws {
        #expect(
            try await refusal("POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nx")
                == 501)
    }

    @Test func hugeHeadersAreRefused() async throws {
        let line = "X: " + String(repeating: "y", count: 990) + "\r\n"
        for count in [4, 40, 400] {
            let lines = String(repeating: line, count: count)
            #expect(try await refusal("GET /x HTTP/1.1\r\nHost: x\r\n\(lines)\r\n") == 431)
        }
        let many = String(repeating: "a:b\r\n", count: 5000)
        #expect(try await refusal("GET /x HTTP/1.1\r\nHost: x\r\n\(many)\r\n") == 431)
    }

    @Test func aHugePathIsRefused() async throws {
        for count in [5000, 500_000] {
            let path = String(repeating: "p", count: count)
            let status = try await refusal("GET /\(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(status == 431 || status == 414)
        }
    }

    @Test func aHugeBodyIsRefused() async throws {
        let body = String(repeating: "x", count: 2_000_000)
        #expect(
            try await refusal(
                "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n" + body) == 413)
        #expect(
            try await refusal(
                "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n" + body) == 413)
    }

    /// It may not have read yet why it is refused, and a reset would take that away.
    @Test func whoIsRefusedIsNotResetWhileItSends() async throws {
        let client = try RawClient(server.port)
        try await client.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n")
        let answer = try await client.atOnce { client in
            let answer = try client.answer()
            #expect(try client.rest() == [])
            for _ in 1...3 { try client.send([UInt8](repeating: 0, count: 10_000)) }
            return answer
        }
        #expect(answer.status == 413)
    }

    @Test func aHugeChunkedBodyIsRefusedWhenItIsThere() async throws {
        let client = try RawClient(server.port)
        let chunk = String(repeating: "x", count: 1001)
        try await client.send(
            "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n\(chunk)\r\n"
                + "0\r\n\r\n")
        #expect(try await client.answer().status == 413)
        // The request came to its end, so the connection can go on.
        try await client.get("/y")
        #expect(try await client.answer().text == "GET /y ? 0")
    }

    @Test func aChunkedBodyWithoutEndIsNotReadForEver() async throws {
        let client = try RawClient(server.port)
        try await client.send("POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 0, count: 1 << 20) + [13, 10]
        await #expect(throws: RawClient.Failure.self) {
            while true { try await client.send(chunk) }
        }
    }

    @Test func aBodyAtItsLimitIsTaken() async throws {
        let body = String(repeating: "x", count: 1000)
        let answer = try await exchange(
            server.port, "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n\(body)")
        #expect(answer.text == "POST /x ? 1000")
    }
}
