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
    /// An in-memory server that responds with these statuses, then with 200. A status of 0 drops
    /// the connection. For some tags, it always responds with another status.
    private final class Server: HTTPTransport {
        let requests = Guarded<[HTTPRequest]>([])
        private let statuses: Guarded<[Int]>
        private let retryAfter: String
        private let always: [Int: Int]

        init(_ statuses: [Int] = [], retryAfter: String = "", always: [Int: Int] = [:]) {
            self.statuses = Guarded(statuses)
            (self.retryAfter, self.always) = (retryAfter, always)
        }

        func send(
            _ request: HTTPRequest, by limits: HTTPLimits
        ) async throws(ServiceError) -> HTTPAnswer {
            requests.withLock { $0.append(request) }
            let own = Server.number(request).flatMap { always[$0] }
            let status = own ?? statuses.withLock { $0.isEmpty ? 200 : $0.removeFirst() }
            if status == 0 { throw ServiceError(.cutOff, "the connection was closed") }
            var head = HTTPHead()
            head.take(Array("Retry-After: \(retryAfter)".utf8))
            return HTTPAnswer(status: status, head: head)
        }

        /// The tags in the requests, in order, with a negative count for each gap.
        var numbers: [Int] {
            requests.withLock { $0 }.compactMap(Server.number)
        }

        private static func number(_ request: HTTPRequest) -> Int? {
            guard case .post(let body) = request.method,
                let document = try? JSONValue.parsing(body)
            else { return nil }
            return document.numberOfArrival ?? document.missedCount.map { -$0 }
        }
    }

    private let events = SampleEvents()
    private let said = Guarded<[String]>([])
    private let pauses = Guarded<[Duration]>([])
    private let secret = [UInt8](repeating: 7, count: 32)

    private func output(
        _ server: Server, maximumAge: Duration? = nil, folder: String? = nil,
        whenSleeping: @escaping @Sendable () -> Void = {}
    ) throws -> QueuedOutput {
        let queue = try #require(
            try EventQueue(folder ?? events.folder(), limit: 100, events.stamp))
        let courier = WebhookCourier(
            to: "https://example.com/taps", secret: secret, through: server,
            now: events.dependencies.now)
        return QueuedOutput(
            courier, queue, maximumAge: maximumAge, now: events.dependencies.now,
            sleep: { [pauses] pause in
                pauses.withLock { $0.append(pause) }
                whenSleeping()
                try Task.checkCancellation()
            }, say: { [said] text in said.withLock { $0.append(text) } })
    }

    private func wait(until isTrue: () -> Bool) async throws {
        while !isTrue() { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test("Events are resent in order, with the same ID, until they are accepted")
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
        // One message when the outage starts, and one when it ends.
        #expect(said.withLock { $0.count } == 2)
        let waits = pauses.withLock { $0 }
        #expect(waits.count == 3)
        for (wait, full) in zip(waits, [1, 2, 4]) {
            #expect((.seconds(full) / 2 ... .seconds(full)).contains(wait))
        }
    }

    @Test(
        "The requested delay is respected, up to five minutes",
        arguments: [("60", 60), ("4000000000", 300), ("-60", 0), ("soon", 0)])
    func waiting(_ text: String, _ seconds: Int) async throws {
        let server = Server([503], retryAfter: text)
        let output = try output(server)
        _ = await output.take(events.arrival(1))
        try await wait { server.requests.withLock { $0.count } == 2 }
        await output.end()
        let wait = try #require(pauses.withLock { $0 }.first)
        #expect(seconds == 0 ? wait <= .seconds(1) : wait == .seconds(seconds))
    }

    @Test("Undelivered events are delivered after a restart")
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

    /// Copies the files of the queue, because this process still locks the original.
    private func withoutLock(_ folder: String, _ body: (String) async throws -> Void) async throws {
        let copy = events.folder()
        try DurableFile.makeFolder(copy)
        for name in try DurableFile.names(in: folder) where name != "lock" {
            let bytes = try #require(try DurableFile("\(folder)/\(name)").read())
            try DurableFile("\(copy)/\(name)").write(bytes)
        }
        try await body(copy)
    }

    @Test("An expired event is reported as a gap instead of being sent", arguments: [60, -60])
    func tooOld(_ seconds: Int64) async throws {
        let server = Server([500])
        let events = events
        // The clock advances, or is set back, while the output waits to retry.
        let output = try output(server, maximumAge: .seconds(30)) {
            events.seconds.withLock { $0 += seconds }
        }
        _ = await output.take(events.arrival(1))
        try await wait { server.numbers.count == 2 }
        await output.end()
        #expect(server.numbers == [1, -1])
    }

    @Test(
        "An event that the server rejects for its content does not block later events",
        arguments: [400, 413, 415, 422, 431])
    func refusedEvent(_ status: Int) async throws {
        let server = Server(always: [1: status])
        let output = try output(server)
        for number in 1...2 { _ = await output.take(events.arrival(number)) }
        try await wait { server.numbers.count == 7 }
        await output.end()
        #expect(server.numbers == [1, 1, 1, 1, 1, -1, 2])
        #expect(said.withLock { $0.contains { $0.contains("repeatedly rejected") } })
    }

    /// Sends one event that is always refused and one that is accepted. The clock advances with
    /// each pause. Returns how often the first event was sent, and over how many seconds.
    private func refusals(
        _ server: Server, until isDone: (Int) -> Bool
    ) async throws -> (count: Int, seconds: Int64) {
        let events = events
        let start = events.seconds.withLock { $0 }
        let output = try output(server) { [pauses] in
            let pause = pauses.withLock { $0.last } ?? .zero
            events.seconds.withLock { $0 += pause.components.seconds }
        }
        for number in [1, 2] { _ = await output.take(events.arrival(number)) }
        try await wait { isDone(server.requests.withLock { $0.count }) }
        await output.end()
        let count = server.numbers.prefix { $0 == 1 }.count
        return (count, events.seconds.withLock { $0 } - start)
    }

    @Test("An event that makes the server fail for over an hour does not block later events")
    func brokenByEvent() async throws {
        let server = Server(always: [1: 500])
        let (count, seconds) = try await refusals(server) { _ in server.numbers.last == 2 }
        #expect(server.numbers.dropFirst(count) == [-1, 2])
        #expect((20...40).contains(count) && seconds >= 3_600)
        #expect(said.withLock { $0.contains { $0.contains("repeatedly rejected") } })
    }

    @Test("An event is not dropped after two server failures with an outage of hours in between")
    func outage() async throws {
        let server = Server([500] + Array(repeating: 0, count: 100) + [500])
        let (count, seconds) = try await refusals(server) { _ in server.numbers.last == 2 }
        #expect(server.numbers.dropFirst(count) == [2])
        #expect(count == 103 && seconds >= 2 * 3_600)
    }

    @Test(
        "A refusal of the address or the secret, or a temporary failure, drops no event",
        arguments: [0, 301, 401, 403, 404, 405, 408, 410, 425, 429, 502, 503, 504])
    func waitingForever(_ status: Int) async throws {
        let server = Server(always: [1: status])
        let (count, seconds) = try await refusals(server) { $0 >= 200 }
        #expect(count >= 200 && seconds >= 3_600)
    }

    @Test("The signature matches the example of Standard Webhooks")
    func signature() throws {
        let key = try #require(WebhookCourier.secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = WebhookCourier.signature(
            of: #"{"test": 2432232314}"#, id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: "1614265330",
            key)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test(
        "An invalid secret is refused",
        arguments: ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAA", "whsec_-_-_"])
    func secrets(_ text: String) {
        #expect(WebhookCourier.secret(text) == nil)
    }
}
