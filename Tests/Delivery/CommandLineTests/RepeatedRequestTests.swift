import Testing
import TextCodecs
import Verbs

@Suite("Requests repeated under their id")
struct RepeatedRequestTests {
    private static let id = "11111111-1111-4111-8111-111111111111"

    /// A request, and the commands that prepare a card for it.
    struct Request: Sendable, CustomTestStringConvertible {
        let before: [String]
        let line: String
        /// The request's kind in the history.
        let kind: String
        /// A different request, which is refused under that id.
        let other: String

        var testDescription: String { line }
    }

    private static let requests = [
        Request(before: [], line: "issue --balance 5", kind: "issue", other: "demo"),
        Request(before: [], line: "demo", kind: "issue", other: "issue --balance 5"),
        Request(
            before: ["issue --balance 5"], line: "scratch", kind: "scratch", other: "pay 1"),
        Request(before: ["issue --balance 5"], line: "pay 1", kind: "pay", other: "pay 2"),
        Request(before: ["issue --balance 5"], line: "close", kind: "close", other: "pay 5"),
    ]

    @Test(
        "A repeated request happens once, and a different one under its id is refused",
        arguments: requests)
    func repeated(request: Request) async throws {
        let bench = try ProgramBench()
        for line in request.before { #expect(await bench.run(line).status == 0) }
        let line = "\(request.line) --operation \(Self.id)"
        let first = try await bench.document(line)
        let second = try await bench.document(line)
        #expect(first["result"]?.string == "done")
        for key in ["result", "uid", "balance", "code", "state", "amount", "operation"] {
            #expect(second[key] == first[key], "\(key)")
        }
        let other = try await bench.document("\(request.other) --operation \(Self.id)")
        #expect(other["error"]?.string == "operation-mismatch", "\(other.text)")
        let entries = try #require(try await bench.document("history")["entries"]?.array)
        let done = entries.filter { $0["operation"]?.string == Self.id }
        #expect(done.map { $0["kind"]?.string } == [request.kind])
        #expect(entries.count == request.before.count + 1)
        #expect(await bench.run("audit").status == 0)
    }
}
