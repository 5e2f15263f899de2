import BlockingLane
import RemoteServices
import TapcardDomain
import TestSupport
import Testing

@Suite("Endless responses", .timeLimit(.minutes(2)))
struct EventStreamTests {
    private let client = HTTPClient(.init(version: "1", proxy: ""))
    private let taken = Guarded<[UInt8]>([])

    private func stream(
        _ server: ScriptedServer, silence: Duration = .seconds(50)
    ) async throws(ServiceError) -> HTTPAnswer {
        try await client.stream(
            HTTPRequest(.get, server.address), connecting: .seconds(10), silence: silence
        ) { [taken] bytes in taken.withLock { $0 += bytes } }
    }

    private func head(_ type: String) -> ScriptedServer.Step {
        .text("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\r\n")
    }

    @Test("Each part arrives immediately, and a stream may be larger than other responses")
    func parts() async throws {
        let part = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
        let script: [ScriptedServer.Step] = [
            head("text/event-stream; charset=utf-8"), .text("first"),
            .flood(part, times: 32), .hold,
        ]
        try await ScriptedServer.serving(script) { server in
            let task = Task { try await stream(server) }
            while taken.withLock({ $0.count }) < 5 + 32 * part.count { await Task.yield() }
            #expect(taken.withLock { $0.starts(with: Array("first".utf8)) })
            task.cancel()
            _ = await #expect(throws: ServiceError(.cancelled, "")) { _ = try await task.value }
        }
    }

    @Test("The response of a stream that has ended is empty")
    func ended() async throws {
        try await ScriptedServer.serving([head("text/event-stream"), .text("all"), .close]) {
            let answer = try await stream($0)
            #expect(answer.status == 200 && answer.body.isEmpty)
            #expect(taken.withLock { $0 } == Array("all".utf8))
        }
    }

    @Test("A response that is not a stream is returned as usual")
    func refused() async throws {
        try await ScriptedServer.serving(.answer("401 Unauthorized", "no")) { server in
            let answer = try await stream(server)
            #expect(answer.status == 401 && answer.body == Array("no".utf8))
            #expect(taken.withLock { $0.isEmpty })
        }
        let body = [UInt8](repeating: 0, count: 65_536)
        try await ScriptedServer.serving([head("text/plain"), .flood(body, times: 64), .close]) {
            server in
            _ = await #expect(throws: ServiceError(.tooLarge, "")) { _ = try await stream(server) }
        }
    }

    @Test("A server that is silent for too long counts as gone", arguments: [true, false])
    func silent(_ hasBegun: Bool) async throws {
        let script = hasBegun ? [head("text/event-stream"), .text("a"), .hold] : [.hold]
        try await ScriptedServer.serving(script) { server in
            _ = await #expect(throws: ServiceError(.timedOut, "")) {
                _ = try await stream(server, silence: .seconds(1))
            }
        }
    }
}
