import TestSupport
import Testing
import TextCodecs

/// A page that follows the till.
actor EventListener {
    struct Event: Sendable {
        let name: String
        let data: JSONValue

        var phase: String? { data["phase"]?.string }
        var operation: String? { data["operation"]?.string }
    }

    private let client: RawClient
    private var unread: [UInt8] = []
    /// How many of these bytes were searched for the end of an event.
    private var checked = 0

    /// `till` is needed if there are several.
    init(
        _ bench: TillServerBench, at till: Int? = nil, client id: String? = nil,
        to call: String = "events", headers: [String: String] = [:], receiveBytes: CInt? = nil
    ) async throws {
        let place = till.map { "/tills/\($0)" } ?? ""
        let path = place + "/api/v1/\(call)" + (id.map { "?client=\($0)" } ?? "")
        let fields = ["Host": "127.0.0.1:\(bench.port)"].merging(headers) { $1 }
        let lines = fields.map { "\($0): \($1)\r\n" }.joined()
        client = try RawClient(
            bench.port, saying: "GET \(path) HTTP/1.1\r\n\(lines)\r\n",
            receiveBytes: receiveBytes)
        let head = try await client.answerHead()
        #expect(head.status == 200)
        #expect(head.headers["content-type"] == "text/event-stream")
    }

    /// The next event; nil at the end of the stream.
    func next() async throws -> Event? {
        while true {
            if let text = event() {
                let lines = text.split(separator: "\n")
                // It only says that the server is there.
                if lines.first == "event: alive" { continue }
                let name = try #require(lines.first { $0.hasPrefix("event: ") })
                let data = try #require(lines.first { $0.hasPrefix("data: ") })
                return Event(
                    name: String(name.dropFirst("event: ".count)),
                    data: try JSONValue.parsing(Array(data.dropFirst("data: ".count).utf8)))
            }
            guard let chunk = try await client.chunk() else { return nil }
            unread += chunk
        }
    }

    /// The text of the next event, or nil until all of it is there.
    private func event() -> String? {
        let feed = UInt8(ascii: "\n")
        while checked + 1 < unread.count {
            if unread[checked] == feed, unread[checked + 1] == feed {
                defer {
                    unread.removeFirst(checked + 2)
                    checked = 0
                }
                return String(decoding: unread[..<checked], as: UTF8.self)
            }
            checked += 1
        }
        return nil
    }

    /// The next event with this name and, if given, this phase.
    func next(_ name: String, phase: String? = nil) async throws -> JSONValue {
        while let event = try await next() {
            if event.name == name, phase == nil || event.phase == phase { return event.data }
        }
        throw Ended(waitedFor: name)
    }

    struct Ended: Error { let waitedFor: String }

    func leave() async { await client.leave() }
}
