import BlockingLane
import Foundation
import Glibc

/// A server on a loopback port that sends exactly the bytes of its scripts.
///
/// Each request is answered by the next script, and all further ones by the last.
package final class ScriptedServer: Sendable {
    package enum Step: Sendable {
        case send([UInt8])
        /// Sends these bytes this many times, or until the other end closes.
        case flood([UInt8], times: Int)
        /// Waits until the other end closes.
        case hold
        case close
        /// Resets the connection, as a crash of the machine would.
        case reset

        package static func text(_ text: String) -> Step { .send(Array(text.utf8)) }
    }

    package struct Request: Sendable, Hashable {
        package let connection: Int
        package let head: String
        package let body: String

        package var firstLine: String { head.components(separatedBy: "\r\n")[0] }

        package func value(_ name: String) -> String? {
            head.components(separatedBy: "\r\n").dropFirst()
                .first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    private struct State {
        var requests: [Request] = []
        var open: Set<Int32> = []
        var connections = 0
        var isStopped = false
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    package let port: UInt16
    private let listener: Int32
    private let scripts: [[Step]]
    private let state = Guarded(State())

    package init(_ scripts: [[Step]]) throws {
        self.scripts = scripts
        (listener, port) = try Loopback.listen(backlog: 64)
        Thread.detachNewThread { [self] in accept() }
    }

    /// Runs a server while the body runs.
    package static func serving<Value>(
        _ scripts: [Step]..., body: (ScriptedServer) async throws -> Value
    ) async throws -> Value {
        let server = try ScriptedServer(scripts)
        defer { server.stop() }
        return try await body(server)
    }

    package var address: String { "http://127.0.0.1:\(port)" }
    package var requests: [Request] { state.withLock { $0.requests } }
    package var connections: Int { state.withLock { $0.connections } }

    /// Returns once this many requests have arrived.
    package func received(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.requests.count >= count { return true }
                state.waiting.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func stop() {
        state.withLock { state in
            state.isStopped = true
            for connection in state.open { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func accept() {
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { break }
            let number: Int? = state.withLock { state in
                guard !state.isStopped else { return nil }
                state.open.insert(connection)
                state.connections += 1
                return state.connections
            }
            guard let number else {
                close(connection)
                break
            }
            Thread.detachNewThread { [self] in serve(connection, number) }
        }
        close(listener)
    }

    private func serve(_ connection: Int32, _ number: Int) {
        defer {
            state.withLock { _ = $0.open.remove(connection) }
            close(connection)
        }
        while let (head, body) = Loopback.request(connection) {
            let request = Request(connection: number, head: head, body: body)
            let (index, done) = state.withLock { state in
                state.requests.append(request)
                let count = state.requests.count
                let done = state.waiting.filter { $0.count <= count }.map(\.continuation)
                state.waiting.removeAll { $0.count <= count }
                return (count - 1, done)
            }
            for continuation in done { continuation.resume() }
            for step in scripts[min(index, scripts.count - 1)] {
                guard play(step, connection) else { return }
            }
        }
    }

    /// Performs a step; false if the connection has ended.
    private func play(_ step: Step, _ connection: Int32) -> Bool {
        switch step {
        case .send(let bytes): return Loopback.send(bytes, connection)
        case .flood(let bytes, let times):
            for _ in 0..<times {
                guard Loopback.send(bytes, connection) else { return false }
            }
            return true
        case .hold:
            var byte: UInt8 = 0
            while unsafe recv(connection, &byte, 1, 0) > 0 {}
            return false
        case .close: return false
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(
                connection, SOL_SOCKET, SO_LINGER, &linger,
                socklen_t(MemoryLayout.size(ofValue: linger)))
            return false
        }
    }
}

extension [ScriptedServer.Step] {
    /// A complete answer with its length.
    package static func answer(
        _ status: String = "200 OK", _ body: [UInt8] = [], head: [String] = []
    ) -> [ScriptedServer.Step] {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + head
        return [.text(lines.map { $0 + "\r\n" }.joined() + "\r\n"), .send(body)]
    }

    package static func answer(_ status: String = "200 OK", _ body: String) -> [ScriptedServer.Step]
    {
        answer(status, [UInt8](body.utf8))
    }
}
