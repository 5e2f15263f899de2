import BlockingLane
import Dispatch
import Foundation
import Glibc

/// A receipt printer on a loopback port that records what it receives.
package final class TestPrinter: Sendable {
    package enum Habit: Sendable {
        case prints
        /// It accepts a connection and reads nothing.
        case hangs
        /// It resets the connection after this many bytes.
        case stops(after: Int)
    }

    private struct State {
        var receipts: [[UInt8]] = []
        var open: [Int32] = []
        var isStopped = false
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    package let port: UInt16
    private let listener: Int32
    private let habit: Habit
    private let state = Guarded(State())

    package init(_ habit: Habit = .prints) throws {
        self.habit = habit
        (listener, port) = try Loopback.listen(backlog: 64)
        if case .hangs = habit {
            // With a small window, the system cannot receive a receipt on the printer's behalf.
            var size: Int32 = 1
            unsafe setsockopt(
                listener, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        Thread.detachNewThread { [self] in accept() }
    }

    package var address: String { "tcp://127.0.0.1:\(port)" }
    package var receipts: [[UInt8]] { state.withLock { $0.receipts } }

    /// The printed characters, without commands, in the code page for Western Europe.
    package var texts: [String] { receipts.map(TestPrinter.text) }

    /// Returns once this many receipts have been printed.
    package func printed(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.receipts.count >= count { return true }
                state.waiting.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    package func stop() {
        state.withLock { state in
            // The descriptor may belong to someone else by now.
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            for connection in state.open { close(connection) }
            state.open = []
        }
    }

    /// ASCII only: enough to find amounts, names, and words.
    private static func text(_ bytes: [UInt8]) -> String {
        String(
            decoding: bytes.filter { $0 == 0x0A || (0x20...0x7E).contains($0) }, as: UTF8.self)
    }

    private func accept() {
        while case let connection = Glibc.accept(listener, nil, nil), connection >= 0 {
            switch habit {
            case .hangs: state.withLock { $0.open.append(connection) }
            case .prints: read(connection, limit: .max)
            case .stops(let count): read(connection, limit: count)
            }
        }
        close(listener)
    }

    private func read(_ connection: Int32, limit: Int) {
        var receipt: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 4_096))
        while receipt.count < limit {
            let count = unsafe recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            receipt += chunk.prefix(count)
        }
        if limit != .max {
            var linger = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(
                connection, SOL_SOCKET, SO_LINGER, &linger,
                socklen_t(MemoryLayout.size(ofValue: linger)))
        }
        close(connection)
        let done = state.withLock { state in
            state.receipts.append(receipt)
            let count = state.receipts.count
            defer { state.waiting.removeAll { $0.count <= count } }
            return state.waiting.filter { $0.count <= count }.map(\.continuation)
        }
        for continuation in done { continuation.resume() }
    }
}
