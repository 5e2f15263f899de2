import TestSupport
import Testing
import WebServer

@Suite("Routes of the web server") struct WebRoutesTests {
    private static let routes = {
        var routes = WebRoutes()
        routes.add("GET", "/card") { _ in .text("read") }
        routes.add("PUT", "/card") { request in .text("written \(request.body.count)") }
        routes.add("POST", "/pay") { _ in .text("paid") }
        return routes
    }()

    private func ask(_ method: String, _ path: String) async -> WebResponse {
        await Self.routes.answer(WebRequest(method: method, path: path, body: [1, 2]))
    }

    private func text(_ response: WebResponse) -> String? {
        guard case .bytes(let bytes) = response.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("A request calls the handler of its path and method")
    func asksTheHandlerOfTheMethod() async {
        #expect(text(await ask("GET", "/card")) == "read")
        #expect(text(await ask("PUT", "/card")) == "written 2")
        #expect(text(await ask("POST", "/pay")) == "paid")
    }

    @Test(
        "A path matches only exactly",
        arguments: ["/", "/car", "/card/", "/card/x", "/Card", "//card"])
    func pathsMatchExactly(_ path: String) async {
        #expect(await ask("GET", path).status == 404)
        #expect(await ask("OPTIONS", path).status == 404)
    }

    @Test(
        "A request with another method is told the allowed ones",
        arguments: ["DELETE", "get", "POST", "BREW"])
    func anotherMethodIsToldWhatIsAllowed(_ method: String) async {
        let response = await ask(method, "/card")
        #expect(response.status == 405)
        #expect(response.headers.contains(WebField("Allow", "GET, HEAD, OPTIONS, PUT")))
    }

    @Test("An OPTIONS request is answered with the allowed methods")
    func optionsAreAnswered() async {
        let response = await ask("OPTIONS", "/pay")
        #expect(response.status == 204)
        #expect(response.headers == [WebField("Allow", "OPTIONS, POST")])
    }

    @Test("Routes work behind a running server")
    func areServed() async throws {
        let server = try ServedExamples.start(handler: Self.routes.answer)
        let head = "HTTP/1.1\r\nHost: x\r\n\r\n"
        #expect(try await exchange(server.port, "GET /card \(head)").text == "read")
        #expect(try await exchange(server.port, "GET /cards \(head)").status == 404)
        let refused = try await exchange(server.port, "BREW /card \(head)")
        #expect(refused.status == 405)
        #expect(refused.headers["allow"] == "GET, HEAD, OPTIONS, PUT")
        #expect(try await exchange(server.port, "OPTIONS /card \(head)").status == 204)
        let client = try RawClient(server.port)
        try await client.send("HEAD /pay \(head)")
        #expect(try await client.answer(toHead: true).status == 405)
        await server.stop(within: .seconds(10))
    }
}
