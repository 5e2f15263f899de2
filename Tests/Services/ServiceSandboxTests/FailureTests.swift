import ServiceSandbox
import TestSupport
import Testing
import TextCodecs

@Suite("Failures that the sandbox shows on the line", .timeLimit(.minutes(1)))
struct FailureTests {
    private static let draws = "/lottery/StubLottoResultsData.json"

    @Test("A cut-off answer ends halfway, and the connection is closed")
    func cutOff() async throws {
        try await SandboxBench.with { bench in
            let whole = try await bench.activate()
            try await bench.switchFailure("cut-off*1")
            let answer = try await bench.activate()
            #expect(answer.status == 200)
            #expect(answer.promisedBytes == whole.bodyBytes)
            #expect(answer.bodyBytes == whole.bodyBytes / 2)
            #expect(whole.text.hasPrefix(answer.text))
            #expect(try await bench.activate().text == whole.text)
        }
    }

    @Test("A huge answer has a hundred mebibytes, with or without its length")
    func huge() async throws {
        try await SandboxBench.with { bench in
            let size = 100 << 20
            try await bench.switchFailure("huge*1")
            let announced = try await bench.get(FailureTests.draws)
            #expect(announced.status == 200)
            #expect(announced.promisedBytes == size)
            #expect(announced.bodyBytes == size)
            try await bench.switchFailure("huge-unannounced*1")
            let unannounced = try await bench.get(FailureTests.draws)
            #expect(unannounced.promisedBytes == nil)
            #expect(unannounced.bodyBytes >= size)
        }
    }

    @Test("A slow answer arrives, and other requests do not wait for it")
    func slow() async throws {
        try await SandboxBench.with { bench in
            try await bench.switchFailure("activation:slow=1*1")
            async let late = bench.activate()
            // It is counted when it arrives.
            while bench.sandbox.requestCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
            let other = try await bench.get(FailureTests.draws)
            #expect(other.status == 200)
            #expect(try await late.text == #"{"ios":"6.24","android":"413506"}"#)
        }
    }

    @Test("The sandbox can stop while an answer is held back")
    func stopping() async throws {
        let sandbox = try ServiceSandbox.start(now: { SandboxBench.now })
        let digits = sandbox.address.split(separator: ":").last
        let port = try #require(digits.flatMap { UInt16($0) })
        let path = "/activation/version?code=\(SandboxBench.code)"
        _ = try await SandboxBench.ask("PUT", "/sandbox/failure", body: "slow", at: port)
        async let late = SandboxBench.ask("GET", path, at: port)
        while sandbox.requestCount == 0 { try await Task.sleep(for: .milliseconds(1)) }
        await sandbox.stop()
        let status = try? await late.status
        #expect(status != 200)
        await #expect(throws: RawClient.Failure.self) {
            try await SandboxBench.ask("GET", path, at: port)
        }
    }

    @Test("A redirect leads back to the sandbox, which logs whoever follows it")
    func redirect() async throws {
        try await SandboxBench.with { bench in
            try await bench.switchFailure("redirect*1")
            let answer = try await bench.activate()
            #expect(answer.status == 302)
            #expect(answer.headers["location"] == "/sandbox/redirected")
            #expect(answer.bodyBytes == 0)
            #expect(try await !bench.get("/sandbox").text.contains("redirected"))
            #expect(try await bench.get("/sandbox/redirected").status == 200)
            #expect(try await bench.get("/sandbox").text.contains("GET /sandbox/redirected"))
        }
    }

    @Test("A failure can send a page instead of JSON, or JSON of another shape")
    func bodies() async throws {
        try await SandboxBench.with { bench in
            try await bench.switchFailure("not-json*1")
            let page = try await bench.get(FailureTests.draws)
            #expect(page.status == 200)
            #expect(page.headers["content-type"] == "text/html")
            #expect(throws: JSONError.self) { try JSONValue.parsing(Array(page.text.utf8)) }
            try await bench.switchFailure("wrong-shape*1")
            let other = try await bench.get(FailureTests.draws)
            #expect(other.status == 200)
            #expect(other.headers["content-type"] == "application/json")
            #expect(other.text == #"{"answer":42}"#)
        }
    }
}
