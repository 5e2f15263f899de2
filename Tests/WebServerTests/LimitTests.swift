import BlockingLane
import Testing
import WebServer

/// Clients that take their time, or are too many.
@Suite(.timeLimit(.minutes(5))) struct LimitTests {
    private func start(_ change: (inout WebServerSettings) -> Void) throws -> WebServer {
        try ServedExamples.start(ServedExamples.settings(change), handler: ServedExamples.mirror)
    }

    @Test(arguments: [
        "", "GET", "GET /x HTTP/1.1\r\nHost: x\r\n",
        "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
        "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "GET /x HTTP/1.1\r\nHost: x\r\n\r\n",
    ])
    func whoSaysNothingMoreIsHungUpOn(_ text: String) async throws {
        let server = try start { $0.idleSeconds = 1 }
        let client = try RawClient(server.port)
        try await client.send(text)
        _ = try await client.rest()
    }

    /// Something moves all the time, so that only the limit for the whole can end it.
    @Test(arguments: [
        "", "GET /x HTTP/1.1\r\nX: ",
        "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n",
        "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n",
    ])
    func whoTricklesIsHungUpOn(_ text: String) async throws {
        let server = try start { $0.transferSeconds = 1 }
        let client = try RawClient(server.port)
        try await client.send(text)
        await #expect(throws: RawClient.Failure.self) {
            while true {
                try await client.send("x")
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    @Test func whoReadsNothingIsHungUpOn() async throws {
        let server = try ServedExamples.start(
            ServedExamples.settings {
                $0.idleSeconds = 1
                $0.connections = 1
            }
        ) { request in
            request.path == "/"
                ? .text("small")
                : WebResponse(200, body: .filler(byte: 1, count: 1 << 40))
        }
        let deaf = try RawClient(server.port, receiveBytes: 4096)
        try await deaf.get("/huge")
        // There is room for one: it has gone when the next is answered.
        let answer = try await exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.text == "small")
        await deaf.leave()
    }

    @Test func whoReadsInDribletsIsHungUpOn() async throws {
        let server = try ServedExamples.start(ServedExamples.settings { $0.transferSeconds = 1 }) {
            _ in
            WebResponse(200, body: .filler(byte: 1, count: 1 << 40, announced: false))
        }
        let client = try RawClient(server.port)
        try await client.get("/")
        _ = try await client.answerHead()
        await #expect(throws: RawClient.Failure.self) {
            while try await client.chunk() != nil {}
        }
    }

    @Test func aHandlerMayTakeLonger() async throws {
        let server = try ServedExamples.start(
            ServedExamples.settings {
                $0.idleSeconds = 1
                $0.transferSeconds = 1
            }
        ) { _ in
            try? await Task.sleep(for: .seconds(3))
            return .text("late")
        }
        let answer = try await exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.text == "late")
    }

    @Test func connectionsBeyondTheLimitWait() async throws {
        let server = try start {
            $0.connections = 4
            $0.idleSeconds = 1
        }
        var halfOpen: [RawClient] = []
        for _ in 1...6 {
            let client = try RawClient(server.port)
            try await client.send("GET /x HTTP/1.1\r\n")
            halfOpen.append(client)
        }
        let answer = try await exchange(server.port, "GET /y HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.text == "GET /y ? 0")
        for client in halfOpen { await client.leave() }
    }

    @Test func connectionsThatAreOnlyOpenedCostNothingForLong() async throws {
        let server = try start { $0.connections = 4 }
        for _ in 1...500 { _ = try RawClient(server.port) }
        let answer = try await exchange(server.port, "GET /y HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.text == "GET /y ? 0")
    }
}
