import BlockingLane
import TestSupport
import Testing
import WebServer

@Suite("Starting and stopping the web server", .timeLimit(.minutes(5))) struct StartAndStopTests {
    private func refusal(
        _ change: (inout WebServerSettings) -> Void
    ) -> WebServerError? {
        do throws(WebServerError) {
            _ = try ServedExamples.start(
                ServedExamples.settings(change), handler: ServedExamples.mirror)
            return nil
        } catch {
            return error
        }
    }

    @Test("A port in use is reported when the server starts")
    func aPortThatIsTakenIsSaid() throws {
        let server = try ServedExamples.start()
        let error = refusal { $0.port = server.port }
        #expect(error?.kind == .cannotListen)
        #expect(
            error?.detail
                == "Cannot listen at 127.0.0.1, port \(server.port): Address already in use.")
    }

    @Test(
        "An invalid or foreign address is reported when the server starts",
        arguments: ["", "x", "localhost", "127.0.0.1:80", "::1", "256.0.0.1", "192.0.2.1"])
    func anAddressThatIsNotHereIsSaid(_ address: String) {
        #expect(refusal { $0.address = address }?.kind == .cannotListen)
    }

    @Test("The number of connections is limited by the file descriptors allowed")
    func thereAreNoMoreConnectionsThanFiles() throws {
        var settings = WebServerSettings()
        (settings.connections, settings.reservedDescriptors) = (2_560, 192)
        #expect(DescriptorLimit.connections(settings, allowed: 1 << 20) == 2_560)
        #expect(DescriptorLimit.connections(settings, allowed: 2_816) == 2_560)
        #expect(DescriptorLimit.connections(settings, allowed: 2_815) == 2_559)
        #expect(DescriptorLimit.connections(settings, allowed: 1_024) == 768)
        #expect(DescriptorLimit.connections(settings, allowed: 272) == 16)
        #expect(DescriptorLimit.connections(settings, allowed: 271) == nil)
        let error = refusal { $0.reservedDescriptors = 1 << 40 }
        #expect(error?.kind == .tooFewDescriptors)
        #expect(error?.detail.contains("ulimit -n") == true)
    }

    @Test("A missing or incomplete libmicrohttpd is reported")
    func aMissingLibraryIsSaid() {
        for (file, word) in [
            ("/nowhere/libmicrohttpd.so.12", "libmicrohttpd12"), ("libc.so.6", "MHD_start_daemon"),
        ] {
            do throws(WebServerError) {
                _ = try WebServer.start(
                    WebServerSettings(), library: file, reply: { _ in .now(.text("")) })
                Issue.record("\(file) has been taken")
            } catch {
                #expect(error.kind == .libraryMissing)
                #expect(error.detail.contains(word))
            }
        }
    }

    @Test("After a stop, another server can start on the port")
    func aStoppedServerCanBeReplacedAtItsPort() async throws {
        let first = try ServedExamples.start()
        let client = try RawClient(first.port)
        try await client.get("/x")
        #expect(try await client.answer().status == 200)
        await first.stop(within: .seconds(60))
        #expect(try await client.rest() == [])
        #expect(throws: RawClient.Failure.self) { _ = try RawClient(first.port) }
        let second = try ServedExamples.start(
            ServedExamples.settings { $0.port = first.port }, handler: ServedExamples.mirror)
        let answer = try await exchange(second.port, "GET /y HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.text == "GET /y ? 0")
        await first.stop(within: .seconds(60))
        await second.stop(within: .seconds(60))
    }

    @Test("A stop waits for the running request and does not begin another")
    func requestsThatRunComeToTheirEnd() async throws {
        let begun = Door()
        let door = Door()
        let server = try ServedExamples.start { _ in
            begun.open()
            await door.pass()
            return .text("done")
        }
        let client = try RawClient(server.port)
        // The second is not begun, and gets no answer that could be taken for one.
        try await client.get("/x")
        try await client.get("/y")
        await begun.pass()
        async let stopped: Void = server.stop(within: .seconds(60))
        async let alsoStopped: Void = server.stop(within: .seconds(60))
        // The stop has begun when no client can connect any more.
        while (try? RawClient(server.port)) != nil {}
        door.open()
        let answer = try await client.answer()
        #expect(answer.text == "done")
        #expect(answer.headers["connection"] == "close")
        #expect(try await client.rest() == [])
        await stopped
        await alsoStopped
    }

    @Test("A stop with no time left cancels running requests")
    func requestsThatDoNotEndAreGivenUp() async throws {
        let begun = Door()
        let cancelled = Door()
        let server = try ServedExamples.start { _ in
            begun.open()
            while !Task.isCancelled { await Task.yield() }
            cancelled.open()
            return .text("too late")
        }
        let client = try RawClient(server.port)
        try await client.get("/")
        await begun.pass()
        await server.stop(within: .zero)
        #expect(try await client.rest() == [])
        await cancelled.pass()
    }

    @Test("A stop ends open streams")
    func streamsAreEnded() async throws {
        let gone = Guarded(0)
        let server = try ServedExamples.start { _ in
            let stream = WebStream(capacity: 10) { gone.withLock { $0 += 1 } }
            stream.send([7])
            return WebResponse(200, body: .stream(stream))
        }
        var clients: [RawClient] = []
        for _ in 1...5 {
            let client = try RawClient(server.port)
            try await client.get("/")
            _ = try await client.answerHead()
            #expect(try await client.chunk() == [7])
            clients.append(client)
        }
        await server.stop(within: .seconds(60))
        for client in clients { #expect(try await client.chunk() == nil) }
        #expect(gone.withLock { $0 } == 0)
    }

    @Test("A stop with no time left disconnects the listeners of streams")
    func streamsAreGivenUpWhereThereIsNoTime() async throws {
        let gone = Guarded(0)
        let server = try ServedExamples.start { _ in
            WebResponse(200, body: .stream(WebStream(capacity: 10) { gone.withLock { $0 += 1 } }))
        }
        let client = try RawClient(server.port)
        try await client.get("/")
        _ = try await client.answerHead()
        await server.stop(within: .zero)
        _ = try await client.rest()
        #expect(gone.withLock { $0 } <= 1)
    }

    @Test("Half a request does not hold up a stop")
    func halfARequestDoesNotHoldUpTheStop() async throws {
        let server = try ServedExamples.start()
        let client = try RawClient(server.port)
        try await client.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab")
        let other = try await exchange(server.port, "GET /y HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(other.status == 200)
        await server.stop(within: .seconds(3600))
        #expect(try await client.rest() == [])
    }

    @Test("A server without references stops")
    func aServerThatIsForgottenStops() async throws {
        let port = try ServedExamples.start().port
        while (try? RawClient(port)) != nil { try await Task.sleep(for: .milliseconds(5)) }
    }
}
