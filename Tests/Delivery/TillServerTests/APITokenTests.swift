import OperatingSystem
import StationFiles
import TapcardDomain
import TestSupport
import Testing
import TextCodecs

@Suite("API tokens", .timeLimit(.minutes(5)))
struct APITokenTests {
    private static let app = "https://app.example"
    private static let other = "https://other.example:8443"
    /// The current time on the bench's clock.
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)
    private static let calls = [("GET", "taps"), ("POST", "tag/read"), ("POST", "tag/write")]
    /// A message with a Wi-Fi record.
    private static let wifi =
        "0hcgYXBwbGljYXRpb24vdm5kLndmYS53c2MQDgAcEEUABFNob3AQAwACACAQJwAKb3BlbnNlc2FtZQ=="
    private static let url = #"{"url":"https://example.com/{uid}"}"#

    /// Runs a test bench, by default with two allowed origins.
    private func with(
        readers: Int = 1, allowing: Bool = true,
        _ body: (TillServerBench) async throws -> Void
    ) async throws {
        let options = allowing ? ["--allow-origin", Self.app, "--allow-origin", Self.other] : []
        try await TillServerBench.with(readers: readers, options: options, body)
    }

    /// Adds a token, by default for pages of the app, and returns its text.
    private func token(
        _ bench: TillServerBench, _ right: APIToken.Right = .tags,
        origins: [String] = [Self.app], reader: String? = nil, expires: Timestamp? = nil,
        name: String = "shelf"
    ) throws -> String {
        let text = APIToken.text((0..<32).map { _ in UInt8.random(in: 0...255) })
        try bench.tokenFile.add(
            APIToken(
                name, right, text: text, origins: origins.compactMap(WebOrigin.init),
                reader: reader, expires: expires, added: Self.now))
        return text
    }

    /// The headers that a browser sends for a page from this origin, or a program if it is nil.
    private func headers(_ token: String?, from origin: String? = Self.app) -> [String: String] {
        var headers = ["Authorization": token.map { "Bearer \($0)" } ?? ""]
        if let origin { headers.merge(["Origin": origin, "Sec-Fetch-Site": "cross-site"]) { $1 } }
        return headers
    }

    private func ask(
        _ bench: TillServerBench, _ call: (method: String, path: String),
        _ headers: [String: String]
    ) async throws -> Asked {
        try await bench.ask(
            call.method, "/api/v1/\(call.path)", call.method == "POST" ? "{}" : nil,
            headers: headers)
    }

    /// Expects a refusal that only pages from `origin` can read; nil if no page can.
    private func expect(
        _ asked: Asked, _ status: Int, _ word: String, readableBy origin: String?,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(
            asked.status == status && asked.word == word, "\(asked.text)", sourceLocation: location)
        #expect(
            asked.headers["access-control-allow-origin"] == origin, sourceLocation: location)
        #expect(
            asked.headers["access-control-allow-credentials"] == nil, sourceLocation: location)
    }

    @Test("A page from an allowed origin can receive taps and read and write tags")
    func allowed() async throws {
        try await with { bench in
            let headers = headers(try token(bench))
            let page = try await EventListener(bench, to: "taps", headers: headers)
            try await bench.reader.put()
            let arrived = try await page.next("tap")
            #expect(arrived["event"]?.string == "arrived" && arrived["trust"]?.string == "uid")
            let uid = try #require(arrived["uid"]?.string)
            let written = try await bench.ask(
                "POST", "/api/v1/tag/write", Self.url, headers: headers)
            #expect(written.status == 200 && written.json["uid"]?.string == uid, "\(written.text)")
            #expect(written.headers["access-control-allow-origin"] == Self.app)
            #expect(written.headers["vary"] == "Origin")
            #expect(written.headers["access-control-allow-credentials"] == nil)
            let read = try await ask(bench, ("POST", "tag/read"), headers)
            #expect(read.text.contains("https://example.com/\(uid)"), "\(read.text)")
            // The tag never left during the write, so the next event is its departure.
            try await bench.reader.take()
            let departed = try await page.next("tap")
            #expect(departed["event"]?.string == "departed" && departed["uid"]?.string == uid)
            try await bench.reader.put()
            let again = try await page.next("tap")
            #expect(again["url"]?.string == "https://example.com/\(uid)")
            let late = try await EventListener(bench, to: "taps", headers: headers)
            #expect(try await late.next("tap")["id"] == again["id"])
        }
    }

    @Test("Tap events do not include a card's name or balance")
    func cards() async throws {
        try await with { bench in
            try await bench.issue()
            let headers = headers(try token(bench, .watch))
            let page = try await EventListener(bench, to: "taps", headers: headers)
            var event = try await page.next("tap")
            while event["trust"]?.string != "sealed" { event = try await page.next("tap") }
            #expect(event["card"] == nil && !event.text.contains("Amanda"))
        }
    }

    @Test("A page can write the content that it sends, but cannot name a file")
    func content() async throws {
        try await with { bench in
            let headers = headers(try token(bench))
            try await bench.reader.put()
            func write(_ body: String) async throws -> Asked {
                try await bench.ask("POST", "/api/v1/tag/write", body, headers: headers)
            }
            let written = try await write(
                #"{"text":"Shelf","lang":"de","mime":{"type":"text/plain","base64":"aGk="}}"#)
            #expect(written.status == 200, "\(written.text)")
            let read = try await ask(bench, ("POST", "tag/read"), headers)
            #expect(
                read.text.contains(#""de""#) && read.text.contains("text/plain"), "\(read.text)")
            // Replacing different content requires `overwrite`.
            let ndef = try #require(written.json["message"]?.string.flatMap(Hexadecimal.decode))
            let full = try await write(Self.url)
            #expect(full.word == "tag-not-empty")
            #expect(full.text.contains(#"send \"overwrite\": true"#), "\(full.text)")
            #expect(try await write(#"{"text":"x","overwrite":true}"#).status == 200)
            let back = try await write(#"{"ndef":"\#(Base64.encode(ndef))","overwrite":true}"#)
            #expect(back.json["message"] == written.json["message"], "\(back.text)")
            let secret = try await write(#"{"ndef":"\#(Self.wifi)","overwrite":true}"#)
            let shown = try await ask(bench, ("POST", "tag/read"), headers)
            #expect(secret.json["message"] == .null && shown.json["message"] == .null)
            for body in [
                "{}", #"{"file":"/etc/passwd"}"#, #"{"vcard":"/etc/passwd"}"#,
                #"{"wifi":"/etc/passwd"}"#, #"{"mime":"text/plain=/etc/passwd"}"#,
                #"{"ndef":"/etc/passwd!"}"#, #"{"url":"x","passwordFile":"/etc/passwd"}"#,
                #"{"mime":{"type":"text","base64":""}}"#, #"{"mime":{"type":"a/b"}}"#,
                #"{"mime":{"type":"a/b","base64":"","file":"/etc/passwd"}}"#,
                #"{"url":"x","lock":true}"#, #"{"url":["x"]}"#, #"{"url":"x","cashier":"Ann"}"#,
            ] {
                expect(try await write(body), 400, "usage", readableBy: Self.app)
            }
        }
    }

    @Test("Preflight requests succeed only for allowed origins and shared calls")
    func preflight() async throws {
        try await with { bench in
            func preflight(
                _ path: String, from origin: String = Self.app, _ more: [String: String] = [:]
            ) async throws -> Asked {
                let headers = [
                    "Authorization": "", "Origin": origin, "Sec-Fetch-Site": "cross-site",
                    "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "authorization,content-type",
                ]
                return try await bench.ask(
                    "OPTIONS", path, headers: headers.merging(more) { $1 })
            }
            for (method, path) in Self.calls {
                for origin in [Self.app, Self.other] {
                    let asked = try await preflight("/api/v1/\(path)", from: origin)
                    #expect(asked.status == 204)
                    let allowed = asked.headers.filter { $0.key.hasPrefix("access-control-") }
                    #expect(
                        allowed == [
                            "access-control-allow-origin": origin,
                            "access-control-allow-methods": method,
                            "access-control-allow-headers": "authorization, content-type",
                            "access-control-max-age": "600",
                        ])
                    #expect(asked.headers["vary"] == "Origin")
                }
                // Only browsers with Private Network Access send this header.
                let network = "access-control-allow-private-network"
                let more = ["Access-Control-Request-Private-Network": "true"]
                let asked = try await preflight("/api/v1/\(path)", more)
                #expect(asked.headers[network] == "true")
                for origin in ["https://evil.example", "null", "*", "http://app.example"] {
                    expect(
                        try await preflight("/api/v1/\(path)", from: origin, more), 403,
                        "forbidden-origin", readableBy: nil)
                }
            }
            for path in ["pay", "session", "events", "card", "history", "taps/", "tag/info"] {
                expect(
                    try await preflight("/api/v1/\(path)"), 403, "forbidden-origin", readableBy: nil
                )
            }
            expect(try await preflight("/"), 403, "forbidden-origin", readableBy: nil)
        }
    }

    @Test("A token works only for its right, origins, and reader")
    func elsewhere() async throws {
        try await with(readers: 2) { bench in
            let all = headers(try token(bench))
            let watch = headers(try token(bench, .watch, name: "watch"))
            let other = headers(try token(bench, origins: [Self.other], name: "other"))
            let program = headers(try token(bench, origins: [], name: "program"))
            let bound = headers(try token(bench, reader: "sim:2", name: "bound"))
            for (_, path) in Self.calls.dropFirst() {
                for (headers, number) in [(watch, 1), (other, 1), (program, 1), (bound, 1)] {
                    let inTill = try await bench.ask(
                        "POST", "/tills/\(number)/api/v1/\(path)", "{}", headers: headers)
                    expect(inTill, 403, "token-forbidden", readableBy: Self.app)
                }
            }
            try await bench.readers[1].put()
            for headers in [all, bound] {
                let asked = try await bench.ask(
                    "POST", "/tills/2/api/v1/tag/read", "{}", headers: headers)
                #expect(asked.status == 200, "\(asked.text)")
            }
            // With several tills, a path without a till number does not name one.
            expect(
                try await ask(bench, ("POST", "tag/read"), all), 404, "no-such-till",
                readableBy: Self.app)
            // A program cannot use a token that was created for a page.
            let asked = try await bench.ask(
                "POST", "/tills/1/api/v1/tag/read", "{}",
                headers: ["Authorization": all["Authorization"] ?? ""])
            expect(asked, 403, "token-forbidden", readableBy: nil)
        }
    }

    @Test("Other calls reject API tokens and other origins")
    func otherCalls() async throws {
        try await with { bench in
            try await bench.issue()
            let books = try await bench.books()
            let text = try token(bench)
            let program = headers(try token(bench, origins: [], name: "program"), from: nil)
            for (method, path) in [
                ("POST", "pay"), ("POST", "add"), ("POST", "read"), ("POST", "tag/info"),
                ("POST", "block"), ("POST", "issue"), ("POST", "settings"), ("DELETE", "session"),
                ("DELETE", "operations/0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"),
            ] {
                expect(
                    try await ask(bench, (method, path), program), 401, "stale-token",
                    readableBy: nil)
                expect(
                    try await ask(bench, (method, path), headers(text)), 403, "forbidden-origin",
                    readableBy: nil)
            }
            for path in ["card", "events", "history", "takings", "settings", "health", "audit"] {
                expect(
                    try await ask(bench, ("GET", path), headers(text)), 403, "forbidden-origin",
                    readableBy: nil)
            }
            #expect(try await bench.books() == books)
        }
    }

    @Test("A page from another origin must send its token in the header")
    func onlyInHeader() async throws {
        try await with { bench in
            let text = try token(bench)
            let session = try await bench.ask("POST", "/api/v1/session", "{}")
            let cookie = session.headers["set-cookie"]?.prefix { $0 != ";" } ?? ""
            for (method, path) in Self.calls {
                let more: [[String: String]] = [
                    [:], ["Cookie": String(cookie)], ["Cookie": "tapcard-session=\(text)"],
                    ["Authorization": "Bearer \(bench.token)"], ["Authorization": "Basic \(text)"],
                ]
                for more in more {
                    let headers = headers(nil).merging(more) { $1 }
                    for path in [path, "\(path)?token=\(text)&access_token=\(text)"] {
                        let isGiven = more["Authorization"] != nil
                        expect(
                            try await ask(bench, (method, path), headers), 401,
                            isGiven ? "stale-token" : "token-missing", readableBy: Self.app)
                    }
                }
            }
            // A program without the header is not authorized either.
            let program = try token(bench, origins: [], name: "program")
            expect(
                try await ask(
                    bench, ("POST", "tag/read?token=\(program)"), headers(nil, from: nil)),
                401, "token-missing", readableBy: nil)
        }
    }

    @Test("A revoked token is refused, and its open stream ends before the next tap")
    func revoked() async throws {
        try await with { bench in
            try await bench.takeCard()
            let (text, kept) = (try token(bench), try token(bench, name: "kept"))
            let page = try await EventListener(bench, to: "taps", headers: headers(text))
            let other = try await EventListener(bench, to: "taps", headers: headers(kept))
            #expect(try bench.tokenFile.revoke("shelf"))
            try await bench.reader.put()
            #expect(try await other.next("tap")["event"]?.string == "arrived")
            #expect(try await page.next() == nil)
            for call in Self.calls {
                expect(
                    try await ask(bench, call, headers(text)), 401, "stale-token",
                    readableBy: Self.app)
            }
            // If the token file is unusable, no token is accepted.
            try DurableFile(bench.tokenFile.path).write(Array("{}".utf8), mode: 0o600)
            let asked = try await ask(bench, ("POST", "tag/read"), headers(kept))
            #expect(asked.status >= 400 && !asked.text.contains("/tmp"), "\(asked.text)")
        }
    }

    @Test("A token is valid until its expiry time", arguments: [-1, 0, 1] as [Int64])
    func expired(_ later: Int64) async throws {
        try await with { bench in
            let time = Timestamp(milliseconds: Self.now.milliseconds + later)
            let text = try token(bench, expires: time)
            try await bench.reader.put()
            let asked = try await ask(bench, ("POST", "tag/read"), headers(text))
            #expect((asked.status == 200) == (later > 0), "\(asked.text)")
        }
    }

    @Test("A wrong host name is refused even with a valid token")
    func rebinding() async throws {
        try await with { bench in
            let text = try token(bench)
            for (method, path) in Self.calls + [("OPTIONS", "taps")] {
                for host in ["app.example", "evil.example:\(bench.port)"] {
                    let headers = headers(text).merging(["Host": host]) { $1 }
                    expect(
                        try await ask(bench, (method, path), headers), 403, "forbidden-host",
                        readableBy: nil)
                }
            }
        }
    }

    @Test(
        "Without --allow-origin, pages from other origins are refused, but programs are accepted")
    func closed() async throws {
        try await with(allowing: false) { bench in
            let text = try token(bench)
            for (method, path) in Self.calls + [("OPTIONS", "taps"), ("OPTIONS", "tag/read")] {
                for origin in [Self.app, "null", "*"] {
                    expect(
                        try await ask(bench, (method, path), headers(text, from: origin)), 403,
                        "forbidden-origin", readableBy: nil)
                }
            }
            let program = headers(try token(bench, origins: [], name: "program"), from: nil)
            try await bench.reader.put()
            let read = try await ask(bench, ("POST", "tag/read"), program)
            #expect(read.status == 200 && read.headers["access-control-allow-origin"] == nil)
            let taps = try await EventListener(bench, to: "taps", headers: program)
            #expect(try await taps.next("tap")["event"]?.string == "arrived")
        }
    }

    @Test("Too many unknown tokens do not block valid tokens from the same address")
    func limited() async throws {
        try await with { bench in
            let valid = headers(try token(bench))
            try await bench.reader.put()
            for number in 0..<5 {
                let text = APIToken.text([UInt8](repeating: UInt8(number), count: 32))
                expect(
                    try await ask(bench, ("POST", "tag/read"), headers(text)), 401, "stale-token",
                    readableBy: Self.app)
            }
            let text = APIToken.text([UInt8](repeating: 9, count: 32))
            let asked = try await ask(bench, ("POST", "tag/read"), headers(text))
            expect(asked, 429, "too-many-attempts", readableBy: Self.app)
            #expect(asked.headers["retry-after"] != nil)
            #expect(try await ask(bench, ("POST", "tag/read"), valid).status == 200)
            #expect(bench.log.split(separator: "token-unknown").count == 6)
        }
    }

    @Test("The log contains token names, but never their text")
    func logged() async throws {
        try await with { bench in
            let (text, watch) = (try token(bench), try token(bench, .watch, name: "watch"))
            try await bench.reader.put()
            _ = try await ask(bench, ("POST", "tag/read"), headers(text))
            _ = try await ask(bench, ("POST", "tag/read"), headers(watch))
            let wrong = APIToken.text([UInt8](repeating: 1, count: 32))
            _ = try await ask(bench, ("POST", "tag/read"), headers(wrong))
            await bench.end()
            let log = bench.log
            #expect(log.contains(#""event":"token","token":"shelf","call":"tag/read""#), "\(log)")
            #expect(log.contains(#""event":"token-refused","token":"watch""#), "\(log)")
            #expect(log.contains(#""event":"token-unknown","client":"127.0.0.1""#), "\(log)")
            #expect(!log.contains("tapcard_"), "\(log)")
        }
    }
}
