import BlockingLane
import Bridge
import RemoteServices
import TapcardCore
import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("The taps of a server", .timeLimit(.minutes(5)))
struct TapFeedTests {
    /// An in-memory server that sends the next of these responses over each connection.
    private final class Server: HTTPStreaming {
        enum Answer: Sendable {
            /// A stream sent in these parts, after which the server closes the connection.
            case stream([String])
            case status(Int, body: String = "")
            case failure(ServiceError.Kind)
        }

        let requests = Guarded<[HTTPRequest]>([])
        /// The number of streams sent completely.
        let sent = Guarded(0)
        private let answers: Guarded<[Answer]>

        init(_ answers: [Answer]) { self.answers = Guarded(answers) }

        func send(
            _ request: HTTPRequest, by limits: HTTPLimits
        ) async throws(ServiceError) -> HTTPAnswer {
            throw ServiceError(.offline, "nothing is sent")
        }

        func stream(
            _ request: HTTPRequest, connecting: Duration, silence: Duration,
            _ take: @escaping @Sendable ([UInt8]) -> Void
        ) async throws(ServiceError) -> HTTPAnswer {
            requests.withLock { $0.append(request) }
            switch answers.withLock({ $0.isEmpty ? .status(401) : $0.removeFirst() }) {
            case .stream(let parts):
                for part in parts { take(Array(part.utf8)) }
                sent.withLock { $0 += 1 }
                var head = HTTPHead()
                head.take(Array("Content-Type: text/event-stream".utf8))
                return HTTPAnswer(status: 200, head: head)
            case .status(let status, let body):
                return HTTPAnswer(status: status, body: Array(body.utf8))
            case .failure(let kind): throw ServiceError(kind, "no connection")
            }
        }
    }

    private let events = SampleEvents()
    private let said = Guarded<[String]>([])
    private let alive = "event: alive\ndata: {}\n\n"

    private func text(_ event: TapEvent) -> String {
        "event: tap\ndata: \(event.document.text)\n\n"
    }

    /// Returns the reported events and the error once the server rejects the token.
    private func heard(
        _ answers: [Server.Answer],
        while isTaken: (TapEvent, Server) async -> Bool = { _, _ in true }
    ) async throws -> (events: [TapEvent], error: TapcardError?, requests: [HTTPRequest]) {
        let server = Server(answers)
        let feed = TapFeed(
            try ServiceAddress("http://127.0.0.1:8420/tills/2"),
            try #require(HTTPHeader("Authorization", "Bearer token")), through: server,
            events.dependencies
        ) { [said] text in said.withLock { $0.append(text) } }
        var heard: [TapEvent] = []
        let error = await feed.run { event in
            heard.append(event)
            return await isTaken(event, server)
        }
        return (heard, error, server.requests.withLock { $0 })
    }

    private func words(_ events: [TapEvent]) -> [String] {
        events.map { event in
            let state =
                event.document["ready"]?.bool.map { $0 ? "ready" : "lost" }
                ?? event.document["missed"]?.numberText
            return [event.kind.rawValue, event.uid ?? state ?? ""].joined(separator: " ")
        }
    }

    @Test("Events arrive unchanged, no matter how the stream is split")
    func unchanged() async throws {
        let first = events.arrival(1)
        let sent = [first, first.departure(events.stamp()), events.arrival(2)]
        let text = alive + sent.map(text).joined(separator: alive)
        for size in 1...40 {
            let bytes = Array(text.replacing("\n", with: size == 7 ? "\r\n" : "\n").utf8)
            let parts = stride(from: 0, to: bytes.count, by: size).map { start in
                String(decoding: bytes[start..<min(start + size, bytes.count)], as: UTF8.self)
            }
            let heard = try await heard([.stream(parts)])
            let taps = heard.events.filter { $0.kind != .reader }
            #expect(taps.map(\.document) == sent.map(\.document))
            #expect(taps.map(\.id) == sent.map(\.id) && taps.map(\.at) == sent.map(\.at))
            #expect(
                taps.map(\.uid) == sent.map(\.uid) && taps.map(\.reader) == ["sim", "sim", "sim"])
            #expect(taps.map(\.trust) == [.uid, nil, .uid] && taps[0].error == first.error)
            let request = try #require(heard.requests.first)
            #expect(request.url == "http://127.0.0.1:8420/tills/2/api/v1/taps")
            #expect(request.headers.first?.value == "Bearer token")
        }
    }

    @Test("After reconnecting, a tag is not reported twice, and a removed one is reported as gone")
    func again() async throws {
        let (first, second) = (events.arrival(1), events.arrival(2))
        let stays = try await heard([.stream([text(first)]), .stream([text(first)])])
        #expect(
            words(stays.events) == [
                "arrived 00000001", "reader lost", "reader ready", "reader lost",
            ])
        let left = try await heard([.stream([text(first)]), .stream([alive])])
        #expect(
            words(left.events) == [
                "arrived 00000001", "reader lost", "reader ready", "departed 00000001",
                "reader lost",
            ])
        let other = try await heard([.stream([text(first)]), .stream([text(second)])])
        #expect(
            words(other.events) == [
                "arrived 00000001", "reader lost", "reader ready", "departed 00000001",
                "arrived 00000002", "reader lost",
            ])
        let gone = first.departure(events.stamp())
        let departed = try await heard([.stream([text(first)]), .stream([text(gone)])])
        #expect(
            words(departed.events) == [
                "arrived 00000001", "reader lost", "reader ready", "departed 00000001",
                "reader lost",
            ])
    }

    @Test("An outage is reported once, even if its cause changes, and ends with the next event")
    func outage() async throws {
        let heard = try await heard([
            .failure(.offline), .status(503), .failure(.timedOut), .status(429), .stream([alive]),
            .failure(.cutOff),
        ])
        #expect(words(heard.events) == ["reader lost", "reader ready", "reader lost"])
        #expect(heard.events[0].error == "service-offline")
        // The host name is used until the server sends the reader's name.
        #expect(heard.events[0].reader == "127.0.0.1:8420")
        #expect(heard.requests.count == 7)
        #expect(said.withLock { $0.count } == 2)
    }

    @Test(
        "An error that retrying cannot fix ends the watch with the server's reason",
        arguments: [
            (401, "refused"), (403, "refused"), (404, "refused"), (302, "refused"),
            (200, "wrong-shape"),
        ])
    func refused(_ status: Int, _ kind: String) async throws {
        let heard = try await heard([
            .status(status, body: #"{"title":"This API token is unknown.\u001b[2J"}"#),
            .stream([text(events.arrival(1))]),
        ])
        #expect(heard.events.isEmpty && heard.requests.count == 1)
        let error = try #require(heard.error)
        #expect(error.kind.word == "service-\(kind)", "\(error)")
        #expect(!error.what.contains("\u{1B}"))
        #expect(
            status == 200 || error.what.contains("status \(status): This API token is unknown."))
    }

    @Test("If the outputs are too slow, one gap replaces the dropped events")
    func dropped() async throws {
        let count = 3_000
        let stream = (1...count).map { text(events.arrival($0)) }
        let heard = try await heard([.stream(stream)]) { event, server in
            // Receive the first event only after all have been sent.
            while server.sent.withLock({ $0 }) == 0 { await Task.yield() }
            return event.kind != .reader
        }
        let numbers = heard.events.compactMap(\.document.numberOfArrival)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        let gaps = heard.events.enumerated().compactMap { index, event in
            event.document.missedCount.map { (index, missed: $0) }
        }
        #expect(gaps.count == 1 && numbers.last == count)
        let (place, missed) = try #require(gaps.first)
        #expect(missed == count - numbers.count && missed > 0)
        // The gap counts exactly the events between its neighbors.
        let before = place == 0 ? 0 : try #require(heard.events[place - 1].document.numberOfArrival)
        #expect(heard.events[place + 1].document.numberOfArrival == before + missed + 1)
    }

    @Test("The watch ends when an output has failed")
    func failed() async throws {
        let stream = (1...3).map { text(events.arrival($0)) }
        let heard = try await heard([.stream(stream)]) { event, _ in event.uid != "00000002" }
        #expect(words(heard.events) == ["arrived 00000001", "arrived 00000002"])
        #expect(heard.error == nil)
    }

    @Test(
        "Anything but a valid event of a tag or a reader is ignored",
        arguments: [
            "", "{", "[]", "7", #"{"event":"arrived"}"#, "nested",
            #"{"event":"gap","id":"ID","at":"2026-11-29T00:00:00Z","reader":"r","missed":9}"#,
            #"{"event":"opened","id":"ID","at":"2026-11-29T00:00:00Z","reader":"r"}"#,
            #"{"event":"arrived","id":"1","at":"2026-11-29T00:00:00Z","reader":"r"}"#,
            #"{"event":"arrived","id":"ID","at":"2026-02-29T00:00:00Z","reader":"r"}"#,
            #"{"event":"arrived","id":"ID","at":"2026-11-29T00:00:00","reader":"r"}"#,
            #"{"event":"arrived","id":"ID","at":"2026-11-29T00:00:61Z","reader":"r"}"#,
            #"{"event":"arrived","id":"ID","at":"2026-11-29T00:00:00Z"}"#,
        ])
    func foreign(_ data: String) async throws {
        let id = events.stamp().id
        let nested = String(repeating: "[", count: 100_000)
        let data = data.replacing("\"ID\"", with: "\"\(id)\"").replacing("nested", with: nested)
        let heard = try await heard([
            .stream(["event: tap\ndata: \(data)\n\n", "event: other\ndata: {}\n\n", ":\n\n\n"])
        ])
        #expect(words(heard.events) == ["reader lost"])
    }

    @Test("Unknown trust counts as the lowest trust")
    func claims() async throws {
        let id = events.stamp().id
        let document = try JSONValue.parsing(
            Array(
                """
                {"event":"arrived","id":"\(id)","at":"2026-11-29T00:00:00Z","reader":"r",
                "uid":"04\\u001b","trust":"certain","text":5,"url":null}
                """.utf8))
        let event = try #require(TapEvent(received: document))
        #expect(event.uid == nil && event.trust == .uid && event.text == nil && event.url == nil)
    }
}
