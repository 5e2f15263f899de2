import BlockingLane
import RemoteServices
import TapcardDomain
import TestSupport
import Testing

@Suite("Canceled requests", .timeLimit(.minutes(1)))
struct CancellationTests {
    private let client = HTTPClient(.init(version: "1", proxy: ""))
    private static let long = HTTPLimits(connecting: .seconds(500), whole: .seconds(500))

    private func send(_ server: ScriptedServer) -> Task<ServiceError.Kind?, Never> {
        Task {
            do throws(ServiceError) {
                _ = try await client.send(HTTPRequest(.get, server.address), by: Self.long)
                return nil
            } catch {
                return error.kind
            }
        }
    }

    @Test("A canceled request ends at once, and the next one is answered")
    func whileWaiting() async throws {
        let begun = ScriptedServer.Step.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{")
        try await ScriptedServer.serving([begun, .hold], [.hold], .answer("200 OK", "1")) {
            server in
            for count in 1...2 {
                let task = send(server)
                await server.received(count)
                task.cancel()
                #expect(await task.value == .cancelled)
            }
            #expect(await send(server).value == nil)
        }
    }

    @Test("A request canceled while it waits for its turn is never sent")
    func before() async throws {
        try await ScriptedServer.serving([.hold]) { server in
            let first = send(server)
            await server.received(1)
            // It waits for its turn after the first one.
            let second = send(server)
            second.cancel()
            first.cancel()
            #expect(await second.value == .cancelled)
            #expect(await first.value == .cancelled)
            #expect(server.requests.count == 1)
        }
    }

    @Test("A request that waits too long for its turn times out")
    func queued() async throws {
        let clock = PlayedClock()
        let client = HTTPClient(.init(version: "1", proxy: "")) { clock.read() }
        try await ScriptedServer.serving([.hold], .answer("200 OK", "1")) { server in
            let request = HTTPRequest(.get, server.address)
            let first = Task { try? await client.send(request, by: Self.long) }
            await server.received(1)
            let second = Task { try await client.send(request, by: Self.long) }
            // The first one looks at the clock when it comes and when it begins.
            await clock.wasRead(times: 3)
            clock.pass(Self.long.whole)
            first.cancel()
            let failure = await #expect(throws: ServiceError.self) { try await second.value }
            #expect(failure?.kind == .timedOut)
            #expect(failure?.detail.hasPrefix("earlier requests used up") == true)
            #expect(server.requests.count == 1)
        }
    }
}

/// A clock that moves only when told to, and counts how often it is read.
private final class PlayedClock: Sendable {
    private struct State {
        var time = Duration.zero
        var readings = 0
        var waiting: (times: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Guarded(State())

    func read() -> Duration {
        let (time, waiting) = state.withLock { state in
            state.readings += 1
            guard let waiting = state.waiting, waiting.times <= state.readings else {
                return (state.time, nil as CheckedContinuation<Void, Never>?)
            }
            state.waiting = nil
            return (state.time, waiting.continuation)
        }
        waiting?.resume()
        return time
    }

    func pass(_ time: Duration) { state.withLock { $0.time += time } }

    func wasRead(times: Int) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.readings >= times { return true }
                state.waiting = (times, continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
