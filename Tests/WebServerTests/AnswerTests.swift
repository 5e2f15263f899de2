import RawHTTP
import Testing
import WebServer

/// Answers of every kind, as they arrive.
@Suite(.timeLimit(.minutes(5))) struct AnswerTests {
    private func served(_ response: WebResponse) async throws -> RawAnswer {
        let server = try ServedExamples.start { _ in response }
        return try await exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    }

    @Test(arguments: [0, 1, 1000, 300_000])
    func bytesArrive(_ count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let answer = try await served(WebResponse(200, body: .bytes(bytes)))
        #expect(answer.headers["content-length"] == "\(count)")
        #expect(answer.body == bytes)
    }

    @Test func jsonIsNamedSo() async throws {
        let answer = try await served(.json("{}", status: 201, headers: [("ETag", "\"1\"")]))
        #expect(answer.status == 201)
        #expect(answer.headers["content-type"] == "application/json")
        #expect(answer.headers["etag"] == "\"1\"")
        #expect(answer.text == "{}")
    }

    @Test(arguments: [204, 304])
    func someAnswersHaveNoBody(_ status: Int) async throws {
        let server = try ServedExamples.start { _ in .text("not this", status: status) }
        let client = try RawClient(server.port)
        for _ in 1...2 {
            try await client.get("/")
            #expect(try await client.answer().status == status)
        }
    }

    @Test(arguments: [true, false])
    func aFillerIsAsLongAsItIs(_ announced: Bool) async throws {
        let answer = try await served(
            WebResponse(200, body: .filler(byte: 7, count: 500_000, announced: announced)))
        #expect(answer.headers["content-length"] == (announced ? "500000" : nil))
        #expect(answer.body.count == 500_000)
        #expect(answer.body.allSatisfy { $0 == 7 })
    }

    @Test(arguments: [0, 5, 200_000])
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

    @Test(arguments: [
        WebResponse(99), WebResponse(100), WebResponse(600),
        WebResponse(200, headers: [("a b", "")]),
        WebResponse(200, headers: [("X", "a\r\nSet-Cookie: b")]),
        WebResponse(200, headers: [("Content-Length", "7")]),
    ])
    func whatIsNoAnswerIsAnError(_ response: WebResponse) async throws {
        #expect(try await served(response).status == 500)
    }

    @Test func oneStreamHasOneListener() async throws {
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

    /// Nothing of a client that leaves early, or reads nothing, holds up the others.
    @Test func aClientMayLeaveInTheMiddle() async throws {
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

    @Test func aHandlerGoesOnWhenItsClientHasLeft() async throws {
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
