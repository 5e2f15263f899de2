import ServiceSandbox
import TapcardDomain
import TestSupport
import Testing
import TextCodecs

/// A running sandbox with its own port and a clock that stands still.
struct SandboxBench: Sendable {
    static let now = Timestamp(milliseconds: 1_700_000_000_000)
    static let code = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"

    let sandbox: ServiceSandbox
    let port: UInt16

    /// Runs a sandbox while the body runs.
    static func with(_ body: (SandboxBench) async throws -> Void) async throws {
        let sandbox = try ServiceSandbox.start(now: { SandboxBench.now })
        let digits = sandbox.address.split(separator: ":").last
        let bench = SandboxBench(
            sandbox: sandbox, port: try #require(digits.flatMap { UInt16($0) }))
        do {
            try await body(bench)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    func ask(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: String = ""
    ) async throws -> RawAnswer {
        try await SandboxBench.ask(method, path, headers, body: body, at: port)
    }

    /// Sends a request over its own connection.
    static func ask(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: String = "",
        at port: UInt16
    ) async throws -> RawAnswer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        if method != "GET" { head += "Content-Length: \(body.utf8.count)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return try await RawClient(port, saying: "\(head)\r\n\(body)").answerToTheEnd()
    }

    func get(_ path: String, _ headers: [String: String] = [:]) async throws -> RawAnswer {
        try await ask("GET", path, headers)
    }

    func activate() async throws -> RawAnswer {
        try await get("/activation/version?code=\(SandboxBench.code)")
    }

    func mastermind(
        _ method: String, _ path: String, _ body: String, token: String? = nil
    ) async throws -> RawAnswer {
        try await ask(
            method, "/mastermind/api/v2/\(path)", token.map { ["access_token": $0] } ?? [:],
            body: body)
    }

    func token() async throws -> String {
        let answer = try await mastermind(
            "POST", "login", #"{"user_id":"amanda","password":"\#(ServiceSandbox.password)"}"#)
        let document = try JSONValue.parsing(Array(answer.text.utf8))
        return try #require(document["access_token"]?.string)
    }

    func switchFailure(_ text: String) async throws {
        let answer = try await ask("PUT", "/sandbox/failure", body: text)
        #expect(answer.status == 200)
        #expect(answer.text == #"{"failure":"\#(text)"}"#)
    }
}
