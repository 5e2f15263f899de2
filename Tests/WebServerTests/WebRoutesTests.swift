import Testing
import WebServer

@Suite struct WebRoutesTests {
    private static let routes = {
        var routes = WebRoutes()
        routes.add("GET", "/card") { _ in .text("read") }
        routes.add("PUT", "/card") { request in .text("written \(request.body.count)") }
        routes.add("POST", "/pay") { _ in .text("paid") }
        return routes
    }()

    @Test func pathsMatchExactly() async {
        for path in ["/", "/car", "/card/", "/card/x", "/Card", "//card"] {
            let answer = await Self.routes.answer(WebRequest(method: "GET", path: path))
            #expect(answer.status == 404)
        }
        let answer = await Self.routes.answer(WebRequest(method: "GET", path: "/card"))
        #expect(answer.status == 200)
    }
}
