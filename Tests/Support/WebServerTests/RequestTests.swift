import TestSupport
import Testing
import WebServer

@Suite("Requests to the web server", .timeLimit(.minutes(5))) struct RequestTests {
    private let server: WebServer

    init() throws {
        server = try ServedExamples.start()
    }

    @Test("A handler gets the method, path, query, headers and body of a request")
    func tellsTheHandlerWhatWasAsked() async throws {
        let answer = try await exchange(
            server.port,
            "POST /a%20b/%C3%A4?x=1&y=a%26b+c&&z HTTP/1.1\r\nHost: x\r\nAccess_Token: t\r\n"
                + "Content-Length: 5\r\n\r\nhello")
        #expect(answer.status == 200)
        #expect(answer.text == "POST /a b/ä ?x=1&y=a&b c&z= 5")
        #expect(answer.headers["x-token"] == "t")
        #expect(answer.headers["content-type"] == "text/plain; charset=utf-8")
        #expect(answer.headers["date"] != nil)
    }

    @Test("One connection can carry several requests")
    func answersSeveralRequestsOnOneConnection() async throws {
        let client = try RawClient(server.port)
        for number in 1...5 {
            try await client.send(
                "PUT /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: \(number)\r\n\r\n"
                    + String(repeating: "x", count: number))
            let answer = try await client.answer()
            #expect(answer.text == "PUT /\(number) ? \(number)")
            #expect(answer.headers["connection"] == nil)
        }
    }

    @Test("Pipelined requests are answered in order")
    func answersRequestsThatCameAtOnceInTheirOrder() async throws {
        let client = try RawClient(server.port)
        var text = ""
        for number in 1...20 {
            text += "POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"
        }
        try await client.send(text)
        for number in 1...20 {
            #expect(try await client.answer().text == "POST /\(number) ? 2")
        }
    }

    @Test("A request that arrives byte by byte is answered")
    func takesARequestByteByByte() async throws {
        let client = try RawClient(server.port)
        let text =
            "POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 19\r\n\r\nabc0123456789abcdef"
        for byte in text.utf8 { try await client.send([byte]) }
        #expect(try await client.answer().text == "POST /slow ? 19")
    }

    @Test("A HEAD request is answered with the length and without the body")
    func answersHeadWithoutTheBody() async throws {
        let client = try RawClient(server.port)
        try await client.send("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = try await client.answer(toHead: true)
        #expect(answer.status == 200)
        #expect(answer.headers["content-length"] == "\("GET /x ? 0".utf8.count)")
        // Had a body been sent, it would stand before this answer.
        try await client.get("/y")
        #expect(try await client.answer().text == "GET /y ? 0")
    }

    @Test("The connection is closed on request and after HTTP/1.0")
    func closesWhereItIsAskedTo() async throws {
        for head in ["GET /x HTTP/1.1\r\nHost: x\r\nConnection: close", "GET /x HTTP/1.0"] {
            let client = try RawClient(server.port)
            try await client.send(head + "\r\n\r\n")
            #expect(try await client.answer().text == "GET /x ? 0")
            #expect(try await client.rest() == [])
        }
    }

    @Test("A client that expects 100 Continue gets it before its body")
    func saysThatABodyMayCome() async throws {
        let client = try RawClient(server.port)
        try await client.send(
            "POST /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(try await client.answerHead().status == 100)
        try await client.send("ab")
        #expect(try await client.answer().text == "POST /x ? 2")
    }

    @Test("A client that ends its side after its request is answered")
    func answersAClientThatSendsNoMore() async throws {
        let client = try RawClient(server.port)
        try await client.get("/x")
        await client.finishSending()
        #expect(try await client.answer().text == "GET /x ? 0")
    }

    /// The client ends its side long before its answer is ready.
    @Test("A client that ended its side long before the answer gets it in full", arguments: [1, 3])
    func answersAClientThatHasEndedItsSide(requests: Int) async throws {
        let (door, entered) = (Door(), Door())
        let server = try ServedExamples.start { request in
            entered.open()
            await door.pass()
            return .text("\(request.path) " + String(repeating: "x", count: 1 << 20))
        }
        // libmicrohttpd looks first at the connection on which nothing has moved for longest.
        let older = try RawClient(server.port, saying: "GET /older HTTP/1.1\r\n")
        let client = try RawClient(server.port)
        for number in 1...requests {
            try await client.send(
                "POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab")
        }
        await client.finishSending()
        await entered.pass()
        door.open()
        for number in 1...requests {
            let answer = try await client.answer()
            #expect(answer.text.hasPrefix("/\(number) x") && answer.bodyBytes > 1 << 20)
        }
        await older.leave()
    }

    @Test("A request with an absolute address is answered")
    func takesTheAddressOfAProxy() async throws {
        let answer = try await exchange(
            server.port, "GET http://example.org/x?y=1 HTTP/1.1\r\nHost: example.org\r\n\r\n")
        #expect(answer.text == "GET /x ?y=1 0")
    }
}
