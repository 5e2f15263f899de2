import ReaderProcess
import Testing
import TextCodecs

/// Only the server with a till's reader knows what is under way there.
@Suite("A server without the till's reader", .timeLimit(.minutes(5)))
struct ReaderElsewhereTests {
    private static let till = "/tills/101/api/v1/"
    private static let id = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"

    @Test("What another server may carry out is not called lost, canceled, or disarmed")
    func elsewhere() async throws {
        try await TillServerBench.with { bench in
            let added = try await bench.call("tills/add", #"{"name":"Bar"}"#)
            let code = try #require(added.json["code"]?.string, "\(added.text)")
            let machine = try await BenchMachine(bench, code: code)
            let session = try await bench.ask(
                "POST", Self.till + "session", "{}", headers: ["Authorization": ""])
            let token = try #require(session.json["token"]?.string, "\(session.text)")
            func answers() async throws -> [String] {
                let request = #"{"amount":"1","operation":"\#(Self.id)","repeated":true}"#
                var answers: [String] = []
                for (method, path, body) in [
                    ("POST", "pay", request), ("GET", "operations/\(Self.id)", nil),
                    ("DELETE", "operations/\(Self.id)", nil),
                    ("DELETE", "armed?operation=\(Self.id)", nil),
                ] {
                    let answer = try await bench.ask(
                        method, Self.till + path, body,
                        headers: ["Authorization": "Bearer \(token)"])
                    answers.append("\(answer.status) \(answer.word ?? "")")
                }
                return answers
            }
            let unknown = "404 no-such-operation"
            #expect(try await answers() == ["409 not-begun", unknown, unknown, "200 "])
            // This reply fits no command, so the reader is detached.
            _ = try await machine.reply(.released, after: 0)
            #expect(
                try await answers() == Array(repeating: "502 reader-elsewhere", count: 4))
            // The server's own readers and files are not to blame.
            let doctor = try await bench.ask(
                "GET", Self.till + "doctor", headers: ["Authorization": "Bearer \(token)"])
            let findings = doctor.json["findings"]?.array ?? []
            #expect(
                findings.first?["what"]?.string
                    == "The till's reader is not connected to this server, or does not respond.",
                "\(doctor.text)")
            #expect(!findings.contains { $0["id"]?.string == "cannot-open" })
        }
    }
}
