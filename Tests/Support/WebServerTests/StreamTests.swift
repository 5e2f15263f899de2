import BlockingLane
import TestSupport
import Testing
import WebServer

@Suite("Streams of the web server", .timeLimit(.minutes(5))) struct StreamTests {
    /// Opens streams and sends to all of them.
    private final class Hub: Sendable {
        let streams = Guarded<[WebStream]>([])
        let gone = Guarded(0)

        func open(capacity: Int) -> WebStream {
            let stream = WebStream(capacity: capacity) { [gone] in gone.withLock { $0 += 1 } }
            streams.withLock { $0.append(stream) }
            return stream
        }

        /// Sends to all streams, and returns how many accepted it.
        @discardableResult
        func send(_ text: String) -> Int {
            let streams = streams.withLock { $0 }
            return streams.filter { $0.send(Array(text.utf8)) }.count
        }
    }

    private func start(
        _ hub: Hub, capacity: Int = 10_000, connections: Int = 256
    ) throws -> WebServer {
        try ServedExamples.start(ServedExamples.settings { $0.connections = connections }) {
            request in
            guard request.path == "/events" else { return .text("else") }
            return WebResponse(
                200, headers: [("Content-Type", "text/event-stream")],
                body: .stream(hub.open(capacity: capacity)))
        }
    }

    private func listener(_ server: WebServer, lane: BlockingLane? = nil) async throws -> RawClient
    {
        let client = try RawClient(server.port, lane: lane)
        try await client.get("/events")
        #expect(try await client.answerHead().headers["transfer-encoding"] == "chunked")
        return client
    }

    private func text(_ chunk: [UInt8]?) -> String? {
        chunk.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Waits for a condition that other threads fulfill, up to the suite's time limit.
    private func until(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test("Events arrive as they are sent, and the connection survives the stream")
    func eventsArriveAsTheyAreSent() async throws {
        let hub = Hub()
        let server = try start(hub)
        let client = try await listener(server)
        for number in 1...50 {
            #expect(hub.send("data: \(number)\n\n") == 1)
            #expect(text(try await client.chunk()) == "data: \(number)\n\n")
        }
        hub.streams.withLock { $0[0].finish() }
        #expect(hub.send("after the end") == 0)
        #expect(try await client.chunk() == nil)
        // The connection goes on to the next request.
        try await client.get("/x")
        #expect(try await client.answer().text == "else")
        await server.stop(within: .seconds(60))
        #expect(hub.gone.withLock { $0 } == 0)
    }

    @Test("Bytes sent before the answer arrive in order")
    func whatIsSentBeforeTheAnswerComesFirst() async throws {
        let server = try ServedExamples.start { _ in
            let stream = WebStream(capacity: 100)
            stream.send([1, 2])
            stream.send([])
            stream.send([3])
            stream.finish()
            return WebResponse(200, body: .stream(stream))
        }
        let answer = try await exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.body == [1, 2, 3])
    }

    @Test("A long event arrives in full")
    func longEventsArriveWhole() async throws {
        let hub = Hub()
        let server = try start(hub, capacity: 2_000_000)
        let client = try await listener(server)
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        hub.streams.withLock { streams in
            _ = streams[0].send(bytes)
            streams[0].finish()
        }
        var received: [UInt8] = []
        while let chunk = try await client.chunk() { received += chunk }
        #expect(received == bytes)
    }

    @Test("A stream reaches a client of HTTP/1.0")
    func clientsOfTheOldVersionAreStreamedToToo() async throws {
        let hub = Hub()
        let server = try start(hub)
        let client = try RawClient(server.port)
        try await client.send("GET /events HTTP/1.0\r\n\r\n")
        #expect(try await client.answerHead().status == 200)
        try await until { hub.send("data: 1\n\n") == 1 }
        hub.streams.withLock { $0[0].finish() }
        #expect(try await client.rest() == Array("data: 1\n\n".utf8))
    }

    @Test("A listener that leaves is noticed even if nothing is sent")
    func aListenerThatLeavesIsNoticed() async throws {
        let hub = Hub()
        let server = try start(hub)
        let staying = try await listener(server)
        for _ in 1...10 {
            let leaving = try await listener(server)
            await leaving.leave()
        }
        // Nothing is sent: that they have left is seen from their sockets alone.
        try await until { hub.gone.withLock { $0 } == 10 }
        #expect(hub.send("data: 1\n\n") == 1)
        #expect(text(try await staying.chunk()) == "data: 1\n\n")
    }

    @Test("A listener that does not read is dropped, and the others stay")
    func aListenerThatDoesNotReadIsDropped() async throws {
        let hub = Hub()
        let server = try start(hub, capacity: 100_000)
        let deaf = try RawClient(server.port, receiveBytes: 4096)
        try await deaf.get("/events")
        try await until { hub.streams.withLock { $0.count } == 1 }
        let others = [try await listener(server), try await listener(server)]
        let event = String(repeating: "x", count: 10_000)
        var sent = 0
        while hub.gone.withLock({ $0 }) == 0 {
            hub.send(event)
            sent += 1
            for client in others {
                var received = 0
                while received < event.utf8.count {
                    received += try await client.chunk()?.count ?? 0
                }
            }
        }
        #expect(sent > 10)
        #expect(hub.send("data: 1\n\n") == 2)
        for client in others { #expect(text(try await client.chunk()) == "data: 1\n\n") }
        // The connection of the one that was dropped has been closed.
        _ = try await deaf.rest()
    }

    @Test("An event beyond the capacity drops the listener")
    func anEventBeyondTheCapacityDropsTheListener() async throws {
        let hub = Hub()
        let server = try start(hub, capacity: 100)
        let client = try await listener(server)
        #expect(hub.send(String(repeating: "x", count: 101)) == 0)
        #expect(try await client.rest() == [])
        try await until { hub.gone.withLock { $0 } == 1 }
    }

    @Test("A HEAD request for a stream is answered and releases the stream")
    func headOfAStreamIsAnAnswer() async throws {
        let hub = Hub()
        let server = try start(hub)
        let client = try RawClient(server.port)
        try await client.send("HEAD /events HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await client.answer(toHead: true).status == 200)
        #expect(try await client.rest() == [])
        try await until { hub.gone.withLock { $0 } == 1 }
    }

    @Test("Two hundred listeners each get every event")
    func twoHundredListenAtOnce() async throws {
        let hub = Hub()
        let server = try start(hub)
        let lane = BlockingLane(label: "listeners")
        var clients: [RawClient] = []
        for _ in 1...200 { clients.append(try await listener(server, lane: lane)) }
        for number in 1...20 { #expect(hub.send("data: \(number)\n\n") == 200) }
        for client in clients {
            var received = ""
            while !received.hasSuffix("data: 20\n\n") {
                received += text(try await client.chunk()) ?? ""
            }
            #expect(received == (1...20).map { "data: \($0)\n\n" }.joined())
        }
        await server.stop(within: .seconds(60))
        for client in clients { #expect(try await client.chunk() == nil) }
    }

    @Test("Leaving, sending, finishing and stopping may happen at once")
    func everythingMayHappenAtOnce() async throws {
        for _ in 1...10 {
            let hub = Hub()
            let server = try start(hub, capacity: 1000)
            let lane = BlockingLane(label: "listeners")
            var clients: [RawClient] = []
            for _ in 1...20 { clients.append(try await listener(server, lane: lane)) }
            await withTaskGroup { group in
                for part in 0..<4 {
                    group.addTask {
                        for number in 1...100 { hub.send("data: \(part) \(number)\n\n") }
                    }
                }
                group.addTask { [clients] in
                    for client in clients.prefix(10) { await client.leave() }
                }
                group.addTask {
                    for stream in hub.streams.withLock({ $0.suffix(5) }) { stream.finish() }
                }
                group.addTask { await server.stop(within: .seconds(60)) }
            }
            for client in clients { _ = try? await client.rest() }
            #expect(hub.send("after the stop") == 0)
        }
    }
}
