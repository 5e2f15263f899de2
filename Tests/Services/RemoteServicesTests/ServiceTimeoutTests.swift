import RemoteServices
import TapcardDomain
import TestSupport
import Testing

@Suite("Retries and time limits of a service")
struct ServiceTimeoutTests {
    private func activation(
        _ transport: ScriptedTransport, _ timeouts: ServiceTimeouts = .activation
    ) throws -> RemoteActivation {
        RemoteActivation(
            try ServiceAddress("http://service.example/activation"), through: transport,
            timeouts: timeouts, in: transport.dependencies)
    }

    private func failure(
        _ transport: ScriptedTransport, _ timeouts: ServiceTimeouts = .activation
    ) async throws -> ServiceError {
        let service = try activation(transport, timeouts)
        let code = try #require(ScratchCode(bytes: [UInt8](repeating: 7, count: 16)))
        return try #require(
            await #expect(throws: ServiceError.self) { try await service.activate(code) })
    }

    @Test(
        "A passing failure is retried twice, with a longer pause each time",
        arguments: [
            ScriptedTransport.Reply.failure(.offline), .failure(.cutOff), .failure(.timedOut),
            .status(500), .status(503),
        ])
    func passing(_ reply: ScriptedTransport.Reply) async throws {
        let transport = ScriptedTransport(reply)
        let failure = try await failure(transport)
        #expect(failure.isTemporary)
        #expect(failure.detail.hasPrefix("service.example: "))
        #expect(transport.requests.count == 3)
        #expect(Set(transport.requests).count == 1)
        #expect(transport.pauses == [.milliseconds(500), .seconds(1)])
    }

    @Test(
        "Any other failure is not retried",
        arguments: [
            (ScriptedTransport.Reply.failure(.certificate), ServiceError.Kind.certificate),
            (.failure(.tooLarge), .tooLarge), (.failure(.notHTTP), .notHTTP),
            (.failure(.cancelled), .cancelled), (.failure(.noClient), .noClient),
            (.status(301, "Location: http://other.example/"), .redirected),
            (.status(304), .redirected), (.status(400), .refused), (.status(404), .refused),
            (.status(429), .refused), (.status(204), .wrongShape), (.status(600), .wrongShape),
            (.ok(Array("<html>".utf8)), .notJSON),
        ])
    func final(_ reply: ScriptedTransport.Reply, _ kind: ServiceError.Kind) async throws {
        let transport = ScriptedTransport(reply)
        let failure = try await failure(transport)
        #expect(failure.kind == kind)
        #expect(transport.requests.count == 1)
        #expect(transport.pauses.isEmpty)
    }

    @Test("An answer to a later attempt is as good as one to the first")
    func recovery() async throws {
        let transport = ScriptedTransport(
            .failure(.offline), .status(502), .ok(try AnswerFixture.activation.bytes))
        let service = try activation(transport)
        let code = try #require(ScratchCode(bytes: [UInt8](repeating: 7, count: 16)))
        #expect(try await service.activate(code) == .active)
        #expect(transport.requests.count == 3)
    }

    @Test("A service gets fifteen seconds in all, whatever takes them")
    func whole() async throws {
        let slow = ScriptedTransport(.after(.seconds(60), .status(200)))
        #expect(try await failure(slow).kind == .timedOut)
        #expect(slow.requests.count == 1)
        #expect(slow.uptime == .seconds(15))

        let broken = ScriptedTransport(.after(.seconds(7), .status(500)))
        // The first attempt takes 7 s, the second 7 s after a pause: no time is left for a third.
        #expect(try await failure(broken).kind == .broken)
        #expect(broken.requests.count == 2)
        #expect(broken.uptime == .seconds(14.5))

        let rest = ScriptedTransport(.failure(.offline), .after(.seconds(60), .status(200)))
        // What went wrong first says more than that the time is over.
        #expect(try await failure(rest).kind == .offline)
        #expect(rest.limits.map(\.whole) == [.seconds(15), .seconds(14.5)])
        #expect(rest.limits.map(\.connecting) == [.seconds(5), .seconds(5)])
    }

    @Test("A time-out error states the limit that was set")
    func wholeTime() async throws {
        try await ScriptedServer.serving([.hold]) { server in
            let service = RemoteActivation(
                try ServiceAddress(server.address),
                through: HTTPClient(.init(version: "1", proxy: "")),
                timeouts: ServiceTimeouts(whole: .milliseconds(300)), in: .system)
            let code = try #require(ScratchCode(bytes: [UInt8](repeating: 7, count: 16)))
            let failure = await #expect(throws: ServiceError.self) {
                try await service.activate(code)
            }
            #expect(failure?.kind == .timedOut)
            #expect(
                failure?.detail
                    == "127.0.0.1:\(server.port): no complete response arrived within 0.30 s")
        }
    }

    @Test("A pause that would outlast the limit is not begun")
    func noTimeToPause() async throws {
        let transport = ScriptedTransport(.failure(.offline))
        let timeouts = ServiceTimeouts(whole: .milliseconds(400))
        #expect(try await failure(transport, timeouts).kind == .offline)
        #expect(transport.requests.count == 1)
        #expect(transport.pauses.isEmpty)
    }

    @Test("A limit of zero times out without a request")
    func noTime() async throws {
        let transport = ScriptedTransport(.status(200))
        let failure = try await failure(transport, ServiceTimeouts(whole: .zero))
        #expect(failure.kind == .timedOut)
        #expect(transport.requests.isEmpty)
    }

    @Test("A pause lasts between half and all of its length, which doubles up to 512 s")
    func jitter() {
        let timeouts = ServiceTimeouts(firstPause: .milliseconds(500))
        #expect(timeouts.pause(after: 1) { _ in 0 } == .milliseconds(250))
        #expect(timeouts.pause(after: 1) { $0 - 1 } == .milliseconds(500))
        #expect(timeouts.pause(after: 3) { $0 - 1 } == .seconds(2))
        #expect(timeouts.pause(after: 1_000_000) { $0 - 1 } == .seconds(512))
    }

    @Test("Errors and descriptions show no code, password or token")
    func secrets() async throws {
        let transport = ScriptedTransport(
            .status(301, "Location: https://other.example/version?code=07070707-0707"))
        let failure = try await failure(transport)
        #expect(failure.detail.contains("to https://other.example/version (status 301)"))
        let header = try #require(HTTPHeader("access_token", "secret"))
        let post = HTTPRequest(
            .post(body: Array("secret".utf8)), "http://a.example/b?code=secret", headers: [header])
        #expect("\(post)" == "POST http://a.example/b")
        #expect("\(header)" == "access_token")
        #expect("\(transport.requests[0])" == "GET http://service.example/activation/version")
    }

    @Test("Canceling during a pause ends the request")
    func cancelled() async throws {
        let transport = ScriptedTransport(.failure(.offline))
        let task = Task {
            // From within: the pauses of this transport last no time in which to do it.
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await failure(transport).kind
        }
        #expect(try await task.value == .cancelled)
        #expect(transport.requests.count == 1)
    }

    @Test("The system's clock, pause and random numbers work")
    func system() async throws {
        let system = ServiceDependencies.system
        #expect(system.now().milliseconds > 1_700_000_000_000)
        let before = system.uptime()
        try await system.sleep(.zero)
        #expect(system.uptime() >= before)
        #expect((0..<3).contains(system.random(3)))
    }
}
