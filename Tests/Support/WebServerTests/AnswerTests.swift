import TestSupport
import Testing
import WebServer

@Suite("Answers of the web server", .timeLimit(.minutes(5))) struct AnswerTests {
    private func served(_ response: WebResponse) async throws -> RawAnswer {
        let server = try ServedExamples.start { _ in response }
        return try await exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    }

    @Test("A body of any size arrives with its length", arguments: [0, 1, 1000, 300_000])
    func bytesArrive(_ count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let answer = try await served(WebResponse(200, body: .bytes(bytes)))
        #expect(answer.headers["content-length"] == "\(count)")
        #expect(answer.body == bytes)
    }

    @Test("A JSON answer has its content type, status and headers")
    func jsonIsNamedSo() async throws {
        let answer = try await served(.json("{}", status: 201, headers: [("ETag", "\"1\"")]))
        #expect(answer.status == 201)
        #expect(answer.headers["content-type"] == "application/json")
        #expect(answer.headers["etag"] == "\"1\"")
        #expect(answer.text == "{}")
    }

    @Test("Answers with status 204 and 304 have no body", arguments: [204, 304])
    func someAnswersHaveNoBody(_ status: Int) async throws {
        let server = try ServedExamples.start { _ in .text("not this", status: status) }
        let client = try RawClient(server.port)
        for _ in 1...2 {
            try await client.get("/")
            #expect(try await client.answer().status == status)
        }
    }

    @Test(
        "A filler body arrives in full, with or without an announced length",
        arguments: [true, false])
    func aFillerIsAsLongAsItIs(_ announced: Bool) async throws {
        let answer = try await served(
            WebResponse(200, body: .filler(byte: 7, count: 500_000, announced: announced)))
        #expect(answer.headers["content-length"] == (announced ? "500000" : nil))
        #expect(answer.body.count == 500_000)
        #expect(answer.body.allSatisfy { $0 == 7 })
    }

    @Test("A cut-off answer ends before its announced length", arguments: [0, 5, 200_000])
    func aCutOffAnswerEndsEarly(_ count: Int) async throws {
        let bytes = [UInt8](repeating: 9, count: count)
        let server = try ServedExamples.start { _ in
            WebResponse(200, body: .cutOff(bytes, promised: count + 1))
        }
        let client = try RawClient(server.port)
        try await client.get("/")
        #expect(try await client.answerHead().headers["content-length"] == "\(count + 1)")
        #expect(try await client.rest() == bytes)
    }

    @Test(
        "An invalid answer is replaced by status 500",
        arguments: [
            WebResponse(99), WebResponse(100), WebResponse(600),
            WebResponse(200, headers: [("a b", "")]),
            WebResponse(200, headers: [("X", "a\r\nSet-Cookie: b")]),
            WebResponse(200, headers: [("Content-Length", "7")]),
        ])
    func whatIsNoAnswerIsAnError(_ response: WebResponse) async throws {
        #expect(try await served(response).status == 500)
    }

    @Test("Immediate, later and streamed answers are all sent")
    func whatIsKnownIsAnsweredOnTheServersThread() async throws {
        let stream = WebStream(capacity: 100)
        let server = try WebServer.start(ServedExamples.settings()) { request in
            switch request.path {
            case "/stream": .now(WebResponse(200, body: .stream(stream)))
            case "/later": .later { .text("later") }
            default: .now(.text("now \(request.body.count)"))
            }
        }
        let client = try RawClient(server.port)
        for (path, text) in [("/", "now 0"), ("/later", "later"), ("/", "now 0")] {
            try await client.get(path)
            #expect(try await client.answer().text == text)
        }
        try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
        #expect(try await client.answer().text == "now 3")
        let listener = try RawClient(server.port)
        try await listener.get("/stream")
        #expect(try await listener.answerHead().status == 200)
        stream.send([1])
        #expect(try await listener.chunk() == [1])
    }

    @Test("The body of an answered request no longer counts against the limit")
    func answeredBodiesMakeRoom() async throws {
        let settings = ServedExamples.settings { $0.allBodiesBytes = 4 }
        let server = try WebServer.start(settings) { _ in .now(.text("")) }
        let waiting = try RawClient(server.port)
        try await waiting.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
        let client = try RawClient(server.port)
        for _ in 1...10 {
            try await client.send(
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
            #expect(try await client.answer().status == 200)
        }
    }

    @Test("An answer prepared for many clients is sent unchanged to each of them")
    func anAnswerForManyIsTheSameForAll() async throws {
        let bytes = [UInt8](repeating: 5, count: 100_000)
        let same = WebResponse(200, headers: [("ETag", "\"1\"")], body: .bytes(bytes))
            .preparedForReuse()
        let server = try WebServer.start(ServedExamples.settings()) { request in
            request.path == "/later" ? .later { same } : .now(same)
        }
        let clients = try (0..<5).map { _ in try RawClient(server.port) }
        for path in ["/", "/later", "/"] {
            for client in clients { try await client.get(path) }
            for client in clients {
                let answer = try await client.answer()
                #expect(answer.headers["etag"] == "\"1\"")
                #expect(answer.body == bytes)
            }
        }
        try await clients[0].send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
        let head = try await clients[0].answer(toHead: true)
        #expect(head.headers["content-length"] == "100000")
        try await clients[0].get("/")
        #expect(try await clients[0].answer().body == bytes)
        let old = try RawClient(server.port)
        try await old.send("GET / HTTP/1.0\r\nHost: x\r\n\r\n")
        #expect(try await old.answer().body == bytes)
    }

    @Test("An invalid answer prepared for many clients is replaced by status 500")
    func whatIsNoAnswerIsNoneForManyEither() async throws {
        let wrong = WebResponse(200, headers: [("a b", "")]).preparedForReuse()
        for _ in 1...2 { #expect(try await served(wrong).status == 500) }
    }

    @Test("A stream takes one listener and refuses the next with status 500")
    func oneStreamHasOneListener() async throws {
        let stream = WebStream(capacity: 100)
        stream.send([1])
        let server = try ServedExamples.start { _ in WebResponse(200, body: .stream(stream)) }
        let first = try RawClient(server.port)
        try await first.get("/")
        #expect(try await first.answerHead().status == 200)
        #expect(try await first.chunk() == [1])
        let second = try await exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(second.status == 500)
        stream.send([2])
        #expect(try await first.chunk() == [2])
    }

    @Test("Clients that leave in the middle of an answer do not hold up others")
    func aClientMayLeaveInTheMiddle() async throws {
        let server = try ServedExamples.start { request in
            request.path == "/"
                ? .text("small")
                : WebResponse(200, body: .filler(byte: 1, count: 1 << 40))
        }
        var leaving: [RawClient] = []
        for _ in 1...20 {
            let client = try RawClient(server.port)
            try await client.get("/huge")
            #expect(try await client.answerHead().status == 200)
            leaving.append(client)
        }
        for client in leaving { await client.leave() }
        leaving = []
        let answer = try await exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.text == "small")
        await server.stop(within: .seconds(60))
    }

    @Test("A handler runs to its end after its client has left")
    func aHandlerGoesOnWhenItsClientHasLeft() async throws {
        let begun = Door()
        let left = Door()
        let ended = Door()
        let server = try ServedExamples.start { _ in
            begun.open()
            await left.pass()
            #expect(!Task.isCancelled)
            ended.open()
            return .text("too late")
        }
        let client = try RawClient(server.port)
        try await client.get("/")
        await begun.pass()
        await client.leave()
        left.open()
        await ended.pass()
        await server.stop(within: .seconds(60))
    }
}
