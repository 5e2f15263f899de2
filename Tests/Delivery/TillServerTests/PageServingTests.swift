import CardCryptography
import Testing
import TextCodecs

@Suite("Serving the till page", .timeLimit(.minutes(5)))
struct PageServingTests {
    @Test("The page may be cached and may load nothing from elsewhere")
    func files() async throws {
        try await TillServerBench.with { bench in
            let page = try await bench.ask("GET", "/")
            #expect(page.status == 200)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            let policy = page.headers["content-security-policy"] ?? ""
            #expect(policy.hasPrefix("default-src 'none'"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(page.headers["x-content-type-options"] == "nosniff")
            let tag = try #require(page.headers["etag"])
            #expect(tag.hasPrefix("W/\""))
            for known in [tag, String(tag.dropFirst(2)), "\"x\", \(tag)", "*"] {
                let again = try await bench.ask("GET", "/", headers: ["If-None-Match": known])
                #expect(again.status == 304 && again.headers["etag"] == tag)
            }
            for path in ["/page.js", "/nowhere", "/%00", "/api/v1/card", "/api/v1/pay", "/metrics"]
            {
                let answer = try await bench.ask("GET", path)
                #expect(answer.headers["x-content-type-options"] == "nosniff", "\(path)")
                #expect(answer.headers["strict-transport-security"] == nil)
            }
            let changed = try await bench.ask("GET", "/", headers: ["If-None-Match": "\"x\""])
            #expect(changed.status == 200)
        }
    }

    @Test("The page has one inline style and one inline script, allowed by their hashes")
    func inline() async throws {
        try await TillServerBench.with { bench in
            let page = try await bench.ask("GET", "/")
            let policy = try #require(page.headers["content-security-policy"])
            #expect(!policy.contains("unsafe"))
            for (element, others) in [("style", ""), ("script", "'self' ")] {
                let parts = page.text.split(separator: "<\(element)>")
                #expect(parts.count == 2, "one \(element) in the page")
                let text = try #require(parts.last?.split(separator: "</\(element)>").first)
                let digest = Base64URL.encode(SHA256.digest([UInt8](text.utf8)))
                #expect(policy.contains("; \(element)-src \(others)'sha256-\(digest)=';"))
            }
            #expect(page.text.contains("<style>/* ") && !page.text.contains("stylesheet"))
            #expect(try await bench.ask("GET", "/page.css").status == 404)
        }
    }

    @Test("HEAD is answered like GET, with equal headers and no body")
    func heads() async throws {
        try await TillServerBench.with { bench in
            for path in [
                "/", "/metrics", "/api/openapi.json", "/api/v1/card", "/api/v1/settings",
                "/api/v1/history", "/api/v1/health",
            ] {
                let got = try await bench.ask("GET", path)
                let head = try await bench.ask("HEAD", path)
                #expect(head.status == got.status, "\(path)")
                #expect(head.text.isEmpty)
                // Counting counts.
                if path == "/metrics" { continue }
                for name in ["content-type", "content-length", "etag"] {
                    #expect(head.headers[name] == got.headers[name], "\(path): \(name)")
                }
            }
            let events = try await bench.ask("HEAD", "/api/v1/events")
            #expect(events.headers["content-type"] == "text/event-stream")
            while !(try await bench.ask("GET", "/metrics").text.contains("listeners 0\n")) {}
        }
    }

    @Test("Metrics and the log contain no names, codes or secrets")
    func privacy() async throws {
        try await TillServerBench.withCard { bench in
            let scratched = try await bench.call("scratch")
            let code = try #require(scratched.json["code"]?.string)
            #expect(try await bench.call("pay", #"{"amount":"999"}"#).status == 409)
            _ = try await bench.call(
                "mastermind/login", #"{"user":"Berta","password":"open sesame"}"#)
            let metrics = try await bench.ask("GET", "/metrics").text
            for line in [
                #"tapcard_operations_total{verb="issue",result="done"} 1"#,
                #"tapcard_operations_total{verb="pay",result="refused"} 1"#,
                #"tapcard_operations_total{verb="scratch",result="done"} 1"#,
                "tapcard_reader_up 1", #"tapcard_requests_total{status="409"} 1"#,
            ] {
                #expect(metrics.split(separator: "\n").contains { $0 == line }, "\(line)")
            }
            let told = /"verb":"scratch","result":"done",.*"milliseconds":[0-9]+}\n/
            #expect(bench.log.contains(told))
            for text in [metrics, bench.log] {
                for secret in ["Amanda", "Berta", "sesame", code, bench.token] {
                    #expect(!text.contains(secret), "\(secret)")
                }
            }
        }
    }
}
