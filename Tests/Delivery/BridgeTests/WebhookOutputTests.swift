import BlockingLane
import Bridge
import OperatingSystem
import RemoteServices
import TapcardCore
import TapcardDomain
import TestSupport
import Testing
import TextCodecs
import Verbs

@Suite("Events as webhooks")
struct WebhookOutputTests {
    /// A server in memory: it answers with these statuses, and with 200 after them. A status of 0
    /// is a connection that is cut off.
    private final class Server: HTTPTransport {
        let requests = Guarded<[HTTPRequest]>([])
        private let statuses: Guarded<[Int]>

        init(_ statuses: [Int]) { self.statuses = Guarded(statuses) }

        func send(
            _ request: HTTPRequest, by limits: HTTPLimits
        ) async throws(ServiceError) -> HTTPAnswer {
            requests.withLock { $0.append(request) }
            let status = statuses.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
            if status == 0 { throw ServiceError(.cutOff, "the connection was closed") }
            return HTTPAnswer(status: status)
        }

        /// The tags in the requests, in order; a gap is its negative count.
        var numbers: [Int] {
            requests.withLock { $0 }.compactMap { request in
                guard case .post(let body) = request.method,
                    let document = try? JSONValue.parsing(body)
                else { return nil }
                return document.numberOfArrival ?? document.missedCount.map { -$0 }
            }
        }
    }

    private let events = SampleEvents()
    private let said = Guarded<[String]>([])
    private let pauses = Guarded<[Duration]>([])
    private let secret = [UInt8](repeating: 7, count: 32)

    private func output(
        _ server: Server, maximumAge: Duration? = nil, folder: String? = nil,
        whenSleeping: @escaping @Sendable () -> Void = {}
    ) throws -> WebhookOutput {
        let queue = try #require(
            try EventQueue(folder ?? events.folder(), limit: 100, events.stamp))
        return WebhookOutput(
            WebhookOutput.Settings(
                url: "https://example.com/taps", secret: secret, maximumAge: maximumAge),
            queue, through: server, now: events.dependencies.now,
            sleep: { [pauses] pause in
                pauses.withLock { $0.append(pause) }
                whenSleeping()
                try Task.checkCancellation()
            }, say: { [said] text in said.withLock { $0.append(text) } })
    }

    private func wait(until isTrue: () -> Bool) async throws {
        while !isTrue() { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test("An event is repeated, with the same ID, until it is accepted, and the order is kept")
    func repeated() async throws {
        let server = Server([503, 0, 302, 200])
        let output = try output(server)
        for number in 1...3 { _ = await output.take(events.arrival(number)) }
        try await wait { server.requests.withLock { $0.count } == 6 }
        await output.end()
        #expect(server.numbers == [1, 1, 1, 1, 2, 3])
        let sent = server.requests.withLock { $0 }
        let ids = sent.map { $0.headers.first { $0.name == "webhook-id" }?.value }
        #expect(Set(ids[..<4]).count == 1 && Set(ids).count == 3)
        // Said once for the outage, and once for its end.
        #expect(said.withLock { $0.count } == 2)
        let waits = pauses.withLock { $0 }
        #expect(waits.count == 3)
        for (wait, full) in zip(waits, [1, 2, 4]) {
            #expect((.seconds(full) / 2 ... .seconds(full)).contains(wait))
        }
    }

    @Test("What was not delivered is delivered after the next start")
    func restarted() async throws {
        let folder = events.folder()
        let dead = Server(Array(repeating: 500, count: 1_000_000))
        let first = try output(dead, folder: folder)
        for number in 1...3 { _ = await first.take(events.arrival(number)) }
        try await wait { !dead.numbers.isEmpty }
        await first.end()
        let server = Server([])
        try await withoutLock(folder) { copy in
            let second = try output(server, folder: copy)
            await second.begin()
            try await wait { server.numbers.count == 3 }
            await second.end()
        }
        #expect(server.numbers == [1, 2, 3])
    }

    /// A copy of the queue's files, because this process still has the lock on the first one.
    private func withoutLock(_ folder: String, _ body: (String) async throws -> Void) async throws {
        let copy = events.folder()
        try DurableFile.makeFolder(copy)
        for name in try DurableFile.names(in: folder) where name != "lock" {
            let bytes = try #require(try DurableFile("\(folder)/\(name)").read())
            try DurableFile("\(copy)/\(name)").write(bytes)
        }
        try await body(copy)
    }

    @Test("An old event opens no door: it is told as a gap instead of being sent")
    func tooOld() async throws {
        let server = Server([500])
        let events = events
        // The clock goes on while the output waits to try again.
        let output = try output(server, maximumAge: .seconds(30)) {
            events.seconds.withLock { $0 += 60 }
        }
        _ = await output.take(events.arrival(1))
        try await wait { server.numbers.count == 2 }
        await output.end()
        #expect(server.numbers == [1, -1])
    }

    @Test("A server that wants no more events gets none")
    func gone() async throws {
        let server = Server([410])
        let output = try output(server)
        _ = await output.take(events.arrival(1))
        try await wait { said.withLock { !$0.isEmpty } }
        _ = await output.take(events.arrival(2))
        await output.end()
        #expect(server.numbers == [1])
    }

    @Test("The signature is the one of Standard Webhooks' own example")
    func signature() throws {
        let key = try #require(WebhookOutput.secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = WebhookOutput.signature(
            of: #"{"test": 2432232314}"#, id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: "1614265330",
            key)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(
        "A secret of another form is refused",
        arguments: ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAA", "whsec_-_-_"])
    func secrets(_ text: String) {
        #expect(WebhookOutput.secret(text) == nil)
    }
}
