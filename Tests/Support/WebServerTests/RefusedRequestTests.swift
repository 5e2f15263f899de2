import BlockingLane
import TestSupport
import Testing
import WebServer

/// After each refused request, the server must still serve others.
@Suite("Requests that the web server refuses", .timeLimit(.minutes(5))) struct RefusedRequestTests {
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

    /// The status, or nil if the server hangs up without one. No handler may have been called.
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
        // libmicrohttpd 0.9.75 says some refusals twice; nothing else may be answered after one.
        let statuses = text.split(separator: "HTTP/1.1 ").compactMap { Int($0.prefix(3)) }
        #expect(Set(statuses).count == 1)
        return statuses.first
    }

    @Test(
        "A malformed request is refused",
        arguments: [
            // Smuggling: the bytes after the blank line might be a second request.
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
            "GET /x HTTP/1.1\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
            // A proxy may have checked the one, and the handler would see the other.
            "GET /x HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\norigin: http://y\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: none\r\nSec-Fetch-Site: none\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Mode: cors\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nX: y\r\nAuthorization: b\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\nContent-Type: a/b\r\nContent-Type: a/b\r\n\r\n",
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

    /// Requests that a proxy and the server could split differently.
    @Test(
        "A request that could be read in two ways is refused",
        arguments: [
            "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n 37\r\n\r\n"
                + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
            "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\t7\r\n\r\n"
                + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
            "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\n\r\n"
                + "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /x HTTP/1.1\r\nX: a\r\n b\r\nHost: x\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\nX: a\r\n \r\n\r\n",
            "GET /x HTTP/1.1\r\n Host: x\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\nX: a\u{0}b\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\u{0}\r\n\r\n",
            "GET /x HTTP/1.1\r\nX: a\u{0}b\r\nHost: x\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\nX\u{0}: a\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\n\u{0}\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET\u{0} /x HTTP/1.1\r\nHost: x\r\n\r\n",
            "G\u{0}T /x HTTP/1.1\r\nHost: x\r\n\r\n",
            "\u{0}GET /x HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET  /x HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /x HTTP/1.1 \r\nHost: x\r\n\r\n",
            "GET /x HTTP/1.1\nHost: x\n\n",
            "GET /x HTTP/1.1\nHost: x\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\nX: y\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\nContent-Length: 37\r\n\r\n"
                + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\n\n",
            "GET /x HTTP/1.1\r\nHost: x\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\nX: a\rb\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\nX: a\r\r\n\r\n",
            "GET /x HTTP/1.1\r\nHost: x\r\nX: a\u{1}\r\n\r\n",
            "GET http://y/x HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET http://x@y/x HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET http://x:80/x HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET http:///x HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /a%2Fb HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /a%2fb HTTP/1.1\r\nHost: x\r\n\r\n",
        ])
    func whatTwoReadersWouldReadDifferentlyIsRefused(_ text: String) async throws {
        #expect(try await refusal(text) == 400)
    }

    @Test("A head that arrives in pieces is read as a whole")
    func aHeadInPiecesIsReadAsOne() async throws {
        let client = try RawClient(server.port)
        let lines = (1...60).map { "X-\($0):  \(String(repeating: "y", count: 40))\t \r\n" }
        let head = "GET /x?a=1&b=+2 HTTP/1.1\r\nHost: x\r\nCookie: a=1; b=2\r\n\(lines.joined())"
        for byte in head.utf8 { try await client.send([byte]) }
        try await client.send("Empty:\r\n\r\n")
        #expect(try await client.answer().text == "GET /x ?a=1&b= 2 0")
        try await client.send("\r\nGET /y HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await client.answer().text == "GET /y ? 0")
        try await client.send("GET /z HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n")
        #expect(try await client.answer().status == 400)
    }

    @Test(
        "Bytes that are not a request get status 400 or no answer",
        arguments: [
            "\u{16}\u{3}\u{1}\u{0}\u{5}\r\n\r\n", "GET\r\n\r\n", "\r\n\r\n\r\n",
            "GET /a b HTTP/1.1\r\n\r\n", "GET /x  HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /x HTTP/1.1\r\nHo", "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
            "",
            "GET /x nothing\r\n\r\n",
        ])
    func whatIsNoRequestGetsNoAnswerThatHelps(_ text: String) async throws {
        let status = try await refusal(text)
        #expect(status == nil || status == 400)
    }

    @Test("A request in another version of HTTP is refused")
    func anotherVersionIsRefused() async throws {
        #expect(try await refusal("GET /x HTTP/2.0\r\nHost: x\r\n\r\n") == 505)
        #expect(try await refusal("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == 505)
    }

    @Test("An unknown transfer encoding is refused")
    func anUnknownEncodingIsRefused() async throws {
        #expect(
            try await refusal("POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nx")
                == 501)
    }

    @Test("Headers that are too large or too many are refused")
    func hugeHeadersAreRefused() async throws {
        let line = "X: " + String(repeating: "y", count: 990) + "\r\n"
        for count in [4, 40, 400] {
            let lines = String(repeating: line, count: count)
            #expect(try await refusal("GET /x HTTP/1.1\r\nHost: x\r\n\(lines)\r\n") == 431)
        }
        let many = String(repeating: "a:b\r\n", count: 5000)
        #expect(try await refusal("GET /x HTTP/1.1\r\nHost: x\r\n\(many)\r\n") == 431)
    }

    /// Some of them are more than libmicrohttpd has room for.
    @Test("More than 100 cookies or query arguments are refused", arguments: [101, 250, 400, 900])
    func manyCookiesAndArgumentsAreRefused(_ count: Int) async throws {
        let cookies = Array(repeating: "a=1", count: count).joined(separator: ";")
        #expect(
            try await refusal("GET /x HTTP/1.1\r\nHost: x\r\nCookie: \(cookies)\r\n\r\n") == 431)
        let half = Array(repeating: "a=1", count: count / 2).joined(separator: "; ")
        #expect(
            try await refusal(
                "GET /x HTTP/1.1\r\nHost: x\r\nCookie: \(half)\r\nCookie: \(half); b; c\r\n\r\n")
                == 431)
        let query = Array(repeating: "a=1", count: count).joined(separator: "&")
        #expect(try await refusal("GET /x?\(query) HTTP/1.1\r\nHost: x\r\n\r\n") == 431)
        let words = String(repeating: "a&", count: count)
        #expect(try await refusal("GET /x?\(words) HTTP/1.1\r\nHost: x\r\n\r\n") == 431)
    }

    @Test("100 cookies and 100 query arguments are accepted")
    func aHundredCookiesAndArgumentsAreTaken() async throws {
        let cookies = Array(repeating: "a=1", count: 100).joined(separator: "; ")
        let query = Array(repeating: "a=1", count: 100).joined(separator: "&")
        let answer = try await exchange(
            server.port, "GET /x?\(query) HTTP/1.1\r\nHost: x\r\nCookie: \(cookies)\r\n\r\n")
        #expect(answer.text == "GET /x ?\(query) 0")
    }

    @Test("A path that is too long is refused")
    func aHugePathIsRefused() async throws {
        for count in [5000, 500_000] {
            let path = String(repeating: "p", count: count)
            let status = try await refusal("GET /\(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(status == 431 || status == 414)
        }
    }

    @Test("A body that is too large is refused")
    func aHugeBodyIsRefused() async throws {
        let body = String(repeating: "x", count: 2_000_000)
        #expect(
            try await refusal(
                "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n" + body) == 413)
        #expect(
            try await refusal(
                "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n" + body) == 413)
    }

    /// A reset could discard the answer before the client has read it.
    @Test("A refused client that is still sending gets its answer without a reset")
    func whoIsRefusedIsNotResetWhileItSends() async throws {
        let client = try RawClient(server.port)
        try await client.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n")
        let answer = try await client.uninterrupted { client in
            let answer = try client.answer()
            #expect(try client.rest() == [])
            for _ in 1...3 { try client.send([UInt8](repeating: 0, count: 10_000)) }
            return answer
        }
        #expect(answer.status == 413)
    }

    /// Only the library reads the lines between chunks, and it accepts more line ends than others.
    @Test(
        "A chunked body without a length is refused",
        arguments: [
            "5\r\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\n\n", "zz\r\n",
            "0\r\nX:\r\n y\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
        ])
    func aBodyWithoutALengthIsRefused(_ body: String) async throws {
        #expect(
            try await refusal(
                "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + body) == 411)
    }

    @Test("A refused body without an end is not read forever")
    func aRefusedBodyWithoutEndIsNotReadForEver() async throws {
        let client = try RawClient(server.port)
        try await client.send("POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 0, count: 1 << 20) + [13, 10]
        await #expect(throws: RawClient.Failure.self) {
            while true { try await client.send(chunk) }
        }
    }

    @Test("A body of exactly the limit is accepted")
    func aBodyAtItsLimitIsTaken() async throws {
        let body = String(repeating: "x", count: 1000)
        let answer = try await exchange(
            server.port, "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n\(body)")
        #expect(answer.text == "POST /x ? 1000")
    }
}
