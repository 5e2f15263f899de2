import BlockingLane
import TestSupport
import Testing
import WebServer

@Suite("Slow or too many clients of the web server", .timeLimit(.minutes(5))) struct LimitTests {
    private func start(_ change: (inout WebServerSettings) -> Void) throws -> WebServer {
        try ServedExamples.start(ServedExamples.settings(change), handler: ServedExamples.mirror)
    }

    @Test(
        "A client that sends nothing more is disconnected",
        arguments: [
            "", "GET", "GET /x HTTP/1.1\r\nHost: x\r\n",
            "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab",
            "GET /x HTTP/1.1\r\nHost: x\r\n\r\n",
        ])
    func whoSaysNothingMoreIsHungUpOn(_ text: String) async throws {
        let server = try start { $0.idleSeconds = 1 }
        let client = try RawClient(server.port)
        try await client.send(text)
        _ = try await client.rest()
    }

    /// The client keeps sending, so that only the limit for the whole body can end it.
    @Test("A client that trickles a body is disconnected")
    func whoTricklesABodyIsHungUpOn() async throws {
        let server = try start { $0.transferSeconds = 1 }
        try await trickle(
            behind: "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n", to: server)
    }

    @Test(
        "A client that trickles a head is disconnected", arguments: ["", "GET /x HTTP/1.1\r\nX: "])
    func whoTricklesAHeadIsHungUpOn(_ text: String) async throws {
        let server = try start { $0.headSeconds = 1 }
        try await trickle(behind: text, to: server)
    }

    @Test("A client that trickles a second head is disconnected")
    func aLaterHeadHasNoMoreThanTheIdleTimeBesides() async throws {
        let server = try start { ($0.idleSeconds, $0.headSeconds) = (1, 1) }
        try await trickle(
            behind: "GET /x HTTP/1.1\r\nHost: x\r\n\r\nGET /y HTTP/1.1\r\nX: ", to: server)
    }

    private func trickle(behind text: String, to server: WebServer) async throws {
        let client = try RawClient(server.port)
        try await client.send(text)
        await #expect(throws: RawClient.Failure.self) {
            while true {
                try await client.send("x")
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    @Test("A body may take longer than the limit for a head")
    func aBodyMayTakeLongerThanAHead() async throws {
        let server = try start { $0.headSeconds = 1 }
        let client = try RawClient(server.port)
        try await client.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n")
        for _ in 1...3 {
            try await Task.sleep(for: .seconds(1))
            try await client.send("x")
        }
        #expect(try await client.answer().text == "POST /x ? 3")
    }

    @Test("A client that reads nothing is disconnected")
    func whoReadsNothingIsHungUpOn() async throws {
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

    @Test("A client that reads an endless answer is disconnected")
    func whoReadsInDribletsIsHungUpOn() async throws {
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

    @Test("A handler may take longer than the limits for clients")
    func aHandlerMayTakeLonger() async throws {
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

    @Test("A request beyond the limit of connections is handled once another client has left")
    func connectionsBeyondTheLimitWait() async throws {
        let (door, entered, first) = (Door(), Guarded(0), Door())
        let stream = WebStream(capacity: 100)
        let server = try ServedExamples.start(ServedExamples.settings { $0.connections = 2 }) {
            request in
            if request.path == "/stream" { return WebResponse(200, body: .stream(stream)) }
            entered.withLock { $0 += 1 }
            first.open()
            await door.pass()
            return .text(request.path)
        }
        let listener = try RawClient(server.port)
        try await listener.get("/stream")
        #expect(try await listener.answerHead().status == 200)
        let visitor = try RawClient(server.port, saying: "GET /first HTTP/1.1\r\nHost: x\r\n\r\n")
        await first.pass()
        let late = try RawClient(server.port, saying: "GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
        // After each of these rounds the server would have taken another connection.
        for _ in 1...10 {
            stream.send(Array("news".utf8))
            #expect(try await listener.chunk() == Array("news".utf8))
        }
        #expect(entered.withLock { $0 } == 1)
        door.open()
        #expect(try await visitor.answer().text == "/first")
        await visitor.leave()
        #expect(try await late.answer().text == "/late")
    }

    @Test("In a full server, the longest idle connection makes room for a new one")
    func whoHasWaitedLongestWithoutARequestMakesRoom() async throws {
        let server = try start { $0.connections = 2 }
        let first = try RawClient(server.port, saying: "GET /first HTTP/1.1\r\n")
        let second = try RawClient(server.port, saying: "GET /second HTTP/1.1\r\n")
        let answer = try await exchange(server.port, "GET /third HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.text == "GET /third ? 0")
        #expect(try await first.rest().isEmpty)
        try await second.send("Host: x\r\n\r\n")
        #expect(try await second.answer().text == "GET /second ? 0")
    }

    @Test("In a full server, a known client outlasts an unknown one")
    func whoHasProvedWhoItIsMakesRoomLast() async throws {
        let server = try ServedExamples.start(ServedExamples.settings { $0.connections = 2 }) {
            request in
            let answer = WebResponse.text(request.path)
            return request.path == "/login" ? answer.forKnownClient() : answer
        }
        let known = try RawClient(server.port)
        try await known.get("/login")
        #expect(try await known.answer().text == "/login")
        let idle = try RawClient(server.port)
        try await idle.get("/idle")
        #expect(try await idle.answer().text == "/idle")
        let answer = try await exchange(server.port, "GET /new HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.text == "/new")
        #expect(try await idle.rest().isEmpty)
        try await known.get("/again")
        #expect(try await known.answer().text == "/again")
    }

    /// A client that listens to a stream and one that waits for a handler both keep their place.
    @Test("In a full server, clients with a request in progress keep their place")
    func whoHasMadeARequestKeepsItsPlace() async throws {
        let door = Door()
        let stream = WebStream(capacity: 100)
        let server = try ServedExamples.start(ServedExamples.settings { $0.connections = 3 }) {
            request in
            switch request.path {
            case "/stream": return WebResponse(200, body: .stream(stream))
            case "/door": await door.pass()
            default: break
            }
            return .text(request.path)
        }
        let listener = try RawClient(server.port)
        try await listener.get("/stream")
        #expect(try await listener.answerHead().status == 200)
        let visitor = try RawClient(server.port)
        try await visitor.get("/door")
        let idle = try RawClient(server.port)
        try await idle.get("/idle")
        #expect(try await idle.answer().text == "/idle")
        let answer = try await exchange(server.port, "GET /new HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.text == "/new")
        #expect(try await idle.rest().isEmpty)
        door.open()
        #expect(try await visitor.answer().text == "/door")
        stream.send(Array("news".utf8))
        #expect(try await listener.chunk() == Array("news".utf8))
    }

    private static func post(_ path: String, _ count: Int) -> String {
        "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: \(count)\r\n\r\n"
            + String(repeating: "x", count: count)
    }

    @Test("All bodies together are limited, and a body beyond the limit gets status 503")
    func bodiesAreBoundedTogether() async throws {
        let (door, entered) = (Door(), Door())
        let server = try ServedExamples.start(
            ServedExamples.settings { $0.allBodiesBytes = 1_500 }
        ) { request in
            if request.path == "/door" {
                entered.open()
                await door.pass()
            }
            return .text("\(request.body.count)")
        }
        let holder = try RawClient(server.port, saying: Self.post("/door", 1_000))
        await entered.pass()
        let refused = try RawClient(server.port, saying: Self.post("/", 1_000))
        let answer = try await refused.answer()
        #expect(answer.status == 503)
        #expect(answer.text == "Too many uploads are in progress; try again.\n")
        try await refused.send(Self.post("/", 500))
        #expect(try await refused.answer().text == "500")
        door.open()
        #expect(try await holder.answer().text == "1000")
        try await refused.send(Self.post("/", 1_500))
        #expect(try await refused.answer().text == "1500")
    }

    @Test("A body that is still arriving counts against the limit until its client leaves")
    func bodiesThatAreStillComingCount() async throws {
        let server = try start { $0.allBodiesBytes = 1_500 }
        func status() async throws -> Int {
            try await exchange(server.port, Self.post("/", 1_000)).status
        }
        let slow = try RawClient(server.port, saying: String(Self.post("/", 1_000).dropLast()))
        while try await status() != 503 {}
        await slow.leave()
        while try await status() != 200 {}
    }

    @Test("A single body is accepted even if it exceeds the limit for all bodies")
    func oneBodyAloneFindsRoom() async throws {
        let server = try start { $0.allBodiesBytes = 10 }
        #expect(
            try await exchange(server.port, Self.post("/x", 100_000)).text == "POST /x ? 100000")
    }

    @Test("Connections that are only opened do not keep others out")
    func connectionsThatAreOnlyOpenedCostNothingForLong() async throws {
        let server = try start { $0.connections = 4 }
        for _ in 1...500 { _ = try RawClient(server.port) }
        let answer = try await exchange(server.port, "GET /y HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.text == "GET /y ? 0")
    }
}
