import Foundation
import RemoteServices
import TapcardDomain
import TestSupport
import Testing

@Suite("HTTP requests and their answers")
struct HTTPClientTests {
    static let limits = HTTPLimits(connecting: .seconds(10), whole: .seconds(20))

    private let client = HTTPClient(.init(version: "1.2.3", proxy: ""))

    /// The error of a request to a server with this script, or nil.
    private func failure(
        _ steps: [ScriptedServer.Step], within limits: HTTPLimits = Self.limits
    ) async throws -> ServiceError? {
        try await ScriptedServer.serving(steps) { server in
            await failure(of: HTTPRequest(.get, server.address + "/thing"), within: limits)
        }
    }

    private func failure(
        of request: HTTPRequest, within limits: HTTPLimits = Self.limits
    ) async -> ServiceError? {
        do {
            _ = try await client.send(request, by: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test("A request is sent as given, and its answer comes back whole")
    func whole() async throws {
        let script = [ScriptedServer.Step].answer(
            "200 OK", Array("{}".utf8), head: ["ETag:  \"a\" ", "X-Two: 1", "X-Two: 2"])
        try await ScriptedServer.serving(script) { server in
            let header = try #require(HTTPHeader("access_token", "secret"))
            let answer = try await client.send(
                HTTPRequest(.get, server.address + "/a/../b?code=1", headers: [header]),
                by: Self.limits)
            #expect(answer.status == 200)
            #expect(answer.body == Array("{}".utf8))
            #expect(answer.head["etag"] == "\"a\"")
            #expect(answer.head["x-two"] == nil)
            #expect(answer.head[all: "x-two"] == ["1", "2"])
            let request = try #require(server.requests.first)
            #expect(request.firstLine == "GET /a/../b?code=1 HTTP/1.1")
            #expect(request.value("User-Agent") == "tapcard/1.2.3")
            #expect(request.value("access_token") == "secret")
            #expect(request.value("Host") == "127.0.0.1:\(server.port)")
            #expect(request.value("Accept-Encoding") == nil)
        }
    }

    @Test("An interim response is not part of the answer")
    func continued() async throws {
        let early = ScriptedServer.Step.text("HTTP/1.1 103 Early Hints\r\nETag: early\r\n\r\n")
        try await ScriptedServer.serving([early] + .answer("404 Not Found", "no")) { server in
            let answer = try await client.send(
                HTTPRequest(.get, server.address), by: Self.limits)
            #expect(answer.status == 404)
            #expect(answer.head["etag"] == nil)
        }
    }

    @Test(
        "Trailers after a body are not part of the answer",
        arguments: ["0\r\n", "2\r\n{}\r\n0\r\n", "2\r\n{}\r\n0\r\nHTTP/9: 1\r\n"])
    func trailers(_ chunks: String) async throws {
        let script: [ScriptedServer.Step] = [
            .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Sum: of the head\r\n\r\n"),
            .text("\(chunks)X-Sum: abc\r\nCache-Control: max-age=9\r\nETag: \"a\"\r\n\r\n"),
        ]
        try await ScriptedServer.serving(script) { server in
            let answer = try await client.send(
                HTTPRequest(.get, server.address), by: Self.limits)
            #expect(answer.body == Array((chunks.hasPrefix("0") ? "" : "{}").utf8))
            #expect(answer.head["x-sum"] == "of the head")
            #expect(answer.head["cache-control"] == nil)
            #expect(answer.head["etag"] == nil)
        }
    }

    @Test("A connection is reused, but not for a request that must not be repeated")
    func connections() async throws {
        try await ScriptedServer.serving(.answer("200 OK", "1")) { server in
            for _ in 0..<3 {
                _ = try await client.send(HTTPRequest(.get, server.address), by: Self.limits)
            }
            #expect(server.connections == 1)
            let body = Array(#"{"slots":6}"#.utf8)
            _ = try await client.send(
                HTTPRequest(.post(body: body), server.address + "/logik/start"), by: Self.limits)
            #expect(server.connections == 2)
            let request = try #require(server.requests.last)
            #expect(request.firstLine == "POST /logik/start HTTP/1.1")
            #expect(request.body == #"{"slots":6}"#)
            #expect(request.value("Content-Type") == "application/json")
            #expect(request.value("Expect") == nil)
            // Nothing of it is left in what comes after.
            _ = try await client.send(HTTPRequest(.get, server.address), by: Self.limits)
            #expect(server.requests.last?.value("Content-Type") == nil)
            #expect(server.requests.last?.body == "")
        }
    }

    /// libcurl repeats what gets no answer on a connection that had worked before.
    @Test(
        "A request that gets no answer is repeated only if repeating it does no harm",
        arguments: [false, true])
    func onceOnly(mayBeRepeated: Bool) async throws {
        let script = [ScriptedServer.Step].answer("200 OK", "1")
        try await ScriptedServer.serving(script, [.close], script) { server in
            _ = try await client.send(HTTPRequest(.get, server.address), by: Self.limits)
            let method = mayBeRepeated ? HTTPRequest.Method.get : .post(body: Array("{}".utf8))
            let failure = await failure(of: HTTPRequest(method, server.address))
            #expect(failure?.kind == (mayBeRepeated ? nil : .cutOff))
            #expect(server.requests.count == (mayBeRepeated ? 3 : 2))
        }
    }

    @Test("Child processes do not inherit a connection")
    func children() async throws {
        try await ScriptedServer.serving(.answer("200 OK", "1")) { server in
            _ = try await client.send(HTTPRequest(.get, server.address), by: Self.limits)
            let ours = try Loopback.connections(to: server.port)
            #expect(ours.count == 1)
            for connection in ours { #expect(fcntl(connection, F_GETFD) & FD_CLOEXEC != 0) }
        }
    }

    @Test("A client ends connections to a machine that no longer responds, if it is to do so")
    func deadLines() async throws {
        for (noticesDeadLines, milliseconds) in [(true, UInt32(8_000)), (false, 0)] {
            try await ScriptedServer.serving(.answer("200 OK", "1")) { server in
                let client = HTTPClient(
                    .init(version: "1", proxy: "", noticesDeadLines: noticesDeadLines))
                _ = try await client.send(HTTPRequest(.get, server.address), by: Self.limits)
                let ours = try Loopback.connections(to: server.port)
                #expect(ours.count == 1)
                for connection in ours {
                    #expect(option(TCP_USER_TIMEOUT, IPPROTO_TCP, connection) == milliseconds)
                    #expect(
                        (option(SO_KEEPALIVE, SOL_SOCKET, connection) == 1) == noticesDeadLines)
                }
            }
        }
    }

    private func option(_ name: Int32, _ level: some BinaryInteger, _ socket: Int32) -> UInt32 {
        var value: UInt32 = 0
        var size = socklen_t(MemoryLayout<UInt32>.size)
        unsafe getsockopt(socket, Int32(level), name, &value, &size)
        return value
    }

    @Test(
        "An incomplete or invalid answer is an error of its kind",
        arguments: [
            ([.close], .cutOff),
            ([.reset], .cutOff),
            ([.text("HTTP/1.1 200 OK\r\nContent-Le"), .close], .cutOff),
            ([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), .close], .cutOff),
            ([.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), .reset], .cutOff),
            (
                [
                    .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"),
                    .close,
                ],
                .cutOff
            ),
            (
                [.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n"), .hold],
                .notHTTP
            ),
            ([.text("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"), .hold], .notHTTP),
            ([.text("HTTP/9.9 200 OK\r\n\r\n"), .hold], .notHTTP),
            ([.text("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"), .hold], .notHTTP),
            ([.text("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"), .hold], .notHTTP),
        ] as [([ScriptedServer.Step], ServiceError.Kind)])
    func broken(_ steps: [ScriptedServer.Step], _ kind: ServiceError.Kind) async throws {
        let failure = try #require(try await failure(steps))
        #expect(failure.kind == kind, "\(failure)")
        #expect(failure.detail.utf8.count < 300)
    }

    @Test("An answer that takes too long times out")
    func slow() async throws {
        let short = HTTPLimits(connecting: .seconds(10), whole: .milliseconds(200))
        let silent = try #require(try await failure([.hold], within: short))
        #expect(silent.kind == .timedOut)
        let begun: [ScriptedServer.Step] = [
            .text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{"), .hold,
        ]
        let slow = try #require(try await failure(begun, within: short))
        #expect(slow.kind == .timedOut)
        #expect(slow.detail.hasSuffix(" within 0.20 s"))
    }

    @Test("A connection that takes too long to establish times out")
    func unconnected() async throws {
        let (port, sockets) = try Loopback.fullPort()
        defer { for socket in sockets { close(socket) } }
        let limits = HTTPLimits(connecting: .milliseconds(200), whole: .seconds(20))
        let failure = try #require(
            await failure(of: HTTPRequest(.get, "http://127.0.0.1:\(port)/"), within: limits))
        #expect(failure.kind == .timedOut)
        #expect(failure.detail == "no connection was made within 0.20 s")
    }

    @Test("A port without a listener and an unknown host name are offline")
    func offline() async throws {
        let dead = "http://127.0.0.1:\(try Loopback.deadPort())/"
        let refused = try #require(await failure(of: HTTPRequest(.get, dead)))
        #expect(refused.kind == .offline)
        #expect(
            refused.detail.hasPrefix(
                "no connection could be made; perhaps nothing is listening there"))
        let unknown = try #require(
            await failure(of: HTTPRequest(.get, "http://nobody.invalid/")))
        #expect(unknown.kind == .offline)
        #expect(unknown.detail.hasPrefix("the host name was not found in DNS"))
    }

    @Test(
        "Schemes other than http and https are refused without a connection",
        arguments: [
            "file:///etc/passwd", "ftp://127.0.0.1:PORT/", "gopher://127.0.0.1:PORT/",
            "dict://127.0.0.1:PORT/", "telnet://127.0.0.1:PORT/", "ws://127.0.0.1:PORT/",
        ])
    func schemes(_ address: String) async throws {
        try await ScriptedServer.serving(.answer("200 OK", "{}")) { server in
            let url = address.replacing("PORT", with: String(server.port))
            let failure = try #require(await failure(of: HTTPRequest(.get, url)))
            #expect(failure.kind == .notHTTP, "\(failure)")
            #expect(server.connections == 0)
        }
    }

    @Test("Concurrent requests each get an answer of their own")
    func concurrent() async throws {
        let scripts = (0..<20).map { [ScriptedServer.Step].answer("200 OK", "\($0)") }
        let server = try ScriptedServer(scripts)
        let bodies = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in scripts {
                group.addTask {
                    let answer = try await client.send(
                        HTTPRequest(.get, server.address), by: Self.limits)
                    return String(decoding: answer.body, as: UTF8.self)
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(bodies == Set((0..<20).map(String.init)))
    }

    @Test("A named proxy is used")
    func proxy() async throws {
        try await ScriptedServer.serving(.answer("200 OK", "1")) { server in
            let client = HTTPClient(.init(version: "1", proxy: server.address))
            let request = HTTPRequest(.get, "http://nobody.invalid/thing")
            _ = try await client.send(request, by: Self.limits)
            #expect(
                server.requests.first?.firstLine == "GET http://nobody.invalid/thing HTTP/1.1")
        }
    }

    @Test(
        "A proxy's password is never shown",
        arguments: [
            "http://user:sesame x@y z", "sesame://user:sesame@127.0.0.1",
            "http://user:sesame@nobody.invalid", "http://user:sesame@127.0.0.1:1",
            "http://user:sesame@127.0.0.1:99999999", "http://user:sesame@[::1",
            "http://user@sesame:sesame@nobody.invalid",
        ])
    func secretProxy(_ proxy: String) async {
        let client = HTTPClient(.init(version: "1", proxy: proxy))
        let failure = await #expect(throws: ServiceError.self) {
            try await client.send(
                HTTPRequest(.get, "http://nobody.invalid/thing"), by: Self.limits)
        }
        #expect(failure?.detail.contains("sesame") == false, "\(failure?.detail ?? "")")
    }

    @Test("A proxy that makes no connection means that the service is offline")
    func unwillingProxy() async throws {
        try await ScriptedServer.serving(.answer("407 Proxy Authentication Required", "")) {
            server in
            let client = HTTPClient(.init(version: "1", proxy: server.address))
            let request = HTTPRequest(.get, "https://nobody.invalid/thing")
            let failure = await #expect(throws: ServiceError.self) {
                try await client.send(request, by: Self.limits)
            }
            #expect(failure?.kind == .offline)
            #expect(failure?.detail.contains("407") == true)
            #expect(server.requests.first?.firstLine == "CONNECT nobody.invalid:443 HTTP/1.1")
        }
    }

    @Test("The variable http_proxy names the proxy, as it does for curl")
    func proxyVariable() async {
        await #expect(processExitsWith: .success) {
            try await ScriptedServer.serving(.answer("200 OK", "1")) { server in
                unsafe setenv("http_proxy", server.address, 1)
                let client = HTTPClient(.init(version: "1"))
                let request = HTTPRequest(.get, "http://nobody.invalid/thing")
                _ = try await client.send(request, by: HTTPClientTests.limits)
                try #require(server.requests.first?.firstLine.contains("nobody.invalid") == true)
            }
        }
    }

    @Test("A missing or wrong libcurl is an error that says so")
    func library() async {
        for (file, words) in [
            ("libnothing.so.4", "Debian: libcurl4"),
            ("libc.so.6", "the function curl_global_init is missing"),
        ] {
            let client = HTTPClient(
                .init(version: "1"), library: file, uptime: ServiceDependencies.system.uptime)
            let failure = await #expect(throws: ServiceError.self) {
                try await client.send(HTTPRequest(.get, "http://127.0.0.1/"), by: Self.limits)
            }
            #expect(failure?.kind == .noClient)
            #expect(failure?.detail.contains(words) == true, "\(failure?.detail ?? "")")
        }
    }
}

@Suite("Errors of failed transfers")
struct CurlFailureTests {
    @Test(
        "No libcurl error after a request was sent says that the server did not get it",
        arguments: 1...120)
    func sent(code: Int) {
        let failure = CurlFailure(
            code: UInt32(code), words: "as libcurl says", isSent: true,
            limits: HTTPClientTests.limits)
        let kinds: [ServiceError.Kind] = [.cutOff, .notHTTP, .timedOut, .tooLarge]
        #expect(kinds.contains(failure.error.kind))
    }

    @Test("A certificate that is not valid yet may mean that this machine's clock is wrong")
    func dates() {
        let failure = CurlFailure(
            code: 60, words: "SSL certificate problem: certificate is not yet valid", isSent: false,
            limits: HTTPClientTests.limits)
        #expect(failure.error.cause == .certificateDates)
        #expect(failure.error.detail.contains("this machine's clock is wrong"))
    }
}
