package import BlockingLane
import Glibc

/// A client that sends exactly what a test wants, on its own thread, because a waiting call must
/// not occupy one that handlers need.
package actor RawClient {
    private let lane: BlockingLane
    private let socket: CInt
    private var unread: [UInt8] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    /// The longest time that it waits, after which the test has failed.
    private static let patienceSeconds = 120
    private static let keptBytes = 1 << 16

    package struct Failure: Error {
        package let what: String
        package let number = errno
    }

    /// Sends `text` right after connecting, however busy the threads are. A small window limits
    /// what it receives where it is not going to read.
    package init(
        _ port: UInt16, saying text: String = "", receiveBytes: CInt? = nil,
        lane: BlockingLane? = nil
    ) throws {
        self.lane = lane ?? BlockingLane(label: "raw client")
        socket = Loopback.socket()
        var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        if var bytes = receiveBytes {
            unsafe setsockopt(
                socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
        }
        guard Loopback.connect(socket, to: port) else { throw Failure(what: "connect") }
        let count = unsafe Glibc.send(socket, text, text.utf8.count, CInt(MSG_NOSIGNAL))
        guard count == text.utf8.count else { throw Failure(what: "say") }
    }

    deinit { close(socket) }

    /// Runs several actions in a row, with no other task in between.
    package func uninterrupted<Answer>(
        _ body: @Sendable (isolated RawClient) throws -> sending Answer
    ) throws -> sending Answer {
        try body(self)
    }

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(what: "send") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends as much as possible; the server may hang up in the middle.
    package func sendWhatIsTaken(_ bytes: [UInt8]) {
        // What was refused shows in what is received.
        try? send(bytes)
    }

    package func get(_ path: String) throws {
        try send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
    }

    /// Stops sending, but answers can still be read.
    package func finishSending() { shutdown(socket, CInt(SHUT_WR)) }

    /// Disconnects at once, with a reset if bytes are unread.
    package func leave() { shutdown(socket, CInt(SHUT_RDWR)) }

    /// The next answer, without reading any further.
    package func answer(toHead: Bool = false) throws -> RawAnswer {
        var answer = try answerHead()
        if toHead || answer.status == 204 || answer.status == 304 { return answer }
        if answer.headers["transfer-encoding"] == "chunked" {
            while let chunk = try chunk() { answer.body += chunk }
        } else if let length = answer.headers["content-length"].flatMap({ Int($0) }) {
            answer.body = try bytes(length)
        } else {
            answer.body = try rest()
        }
        return answer
    }

    /// The head of the next answer; its body is read by other calls.
    package func answerHead() throws -> RawAnswer {
        let head = try bytes(through: Array("\r\n\r\n".utf8))
        return RawAnswer(head: String(decoding: head, as: UTF8.self))
    }

    /// The next answer up to the end of the connection, keeping only the beginning of a long body.
    package func answerToTheEnd() throws -> RawAnswer {
        var answer = try answerHead()
        repeat {
            let kept = unread.prefix(Self.keptBytes - answer.body.count)
            answer.body += kept
            answer.furtherBytes += unread.count - kept.count
            unread = []
        } while try receive()
        return answer
    }

    /// A chunk of a chunked body; nil is its end.
    package func chunk() throws -> [UInt8]? {
        let line = try bytes(through: Array("\r\n".utf8)).dropLast(2)
        guard let count = Int(String(decoding: line, as: UTF8.self), radix: 16) else {
            throw Failure(what: "no chunk: \(line)")
        }
        let chunk = try bytes(count + 2).dropLast(2)
        return count == 0 ? nil : Array(chunk)
    }

    /// Everything up to the end of the connection, whether it is closed or reset.
    package func rest() throws -> [UInt8] {
        while try receive() {}
        defer { unread = [] }
        return unread
    }

    private func bytes(_ count: Int) throws -> [UInt8] {
        while unread.count < count {
            guard try receive() else { throw Failure(what: "closed after \(unread.count)") }
        }
        defer { unread.removeFirst(count) }
        return Array(unread.prefix(count))
    }

    private func bytes(through end: [UInt8]) throws -> [UInt8] {
        var checked = 0
        while true {
            while checked + end.count <= unread.count {
                if unread[checked..<checked + end.count].elementsEqual(end) {
                    return try bytes(checked + end.count)
                }
                checked += 1
            }
            guard try receive() else {
                throw Failure(what: "closed: \(String(decoding: unread, as: UTF8.self))")
            }
        }
    }

    /// False at the end of the connection; throws if nothing has come for too long.
    private func receive() throws -> Bool {
        let count = unsafe withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) {
            let count = unsafe recv(socket, $0.baseAddress, $0.count, 0)
            if count > 0 { unsafe unread.append(contentsOf: $0.prefix(count)) }
            return count
        }
        if count < 0, errno != ECONNRESET { throw Failure(what: "receive") }
        return count > 0
    }
}

/// An answer as received.
package struct RawAnswer: Sendable {
    package let status: Int
    package let head: String
    /// Names in lower case.
    package let headers: [String: String]
    package var body: [UInt8] = []
    /// The number of further bytes of the body, which were not kept.
    package var furtherBytes = 0

    package var bodyBytes: Int { body.count + furtherBytes }
    /// The length that the head announces; nil where it announces none.
    package var promisedBytes: Int? { headers["content-length"].flatMap { Int($0) } }

    package var text: String { String(decoding: body, as: UTF8.self) }

    init(head: String) {
        self.head = head
        let lines = head.split(separator: "\r\n")
        status = Int((lines.first ?? "").split(separator: " ").dropFirst().first ?? "") ?? 0
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let sides = line.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { continue }
            headers[sides[0].lowercased()] = String(sides[1].drop { $0 == " " })
        }
        self.headers = headers
    }
}

/// Sends one text to a server and takes one answer.
package func exchange(_ port: UInt16, _ text: String) async throws -> RawAnswer {
    try await RawClient(port, saying: text).answer()
}
