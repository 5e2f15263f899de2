import BlockingLane
import Foundation
import Glibc

/// Relays between stations and the server's socket, and acts on a link after a number of bytes.
package final class LinkCutter: Sendable {
    package enum Direction: Sendable, CaseIterable { case toServer, toStation }

    /// What happens after those bytes.
    package enum Fate: Sendable {
        /// The link ends there.
        case cut
        /// The following bytes wait until `release`.
        case pause
        /// This closure runs, and then the link ends.
        case after(@Sendable () -> Void)
    }

    struct Failure: Error { let what: String }

    private struct State {
        var fate: (direction: Direction, bytesLeft: Int, Fate)?
        var sockets: [Int32] = []
        var passed: [Direction: [UInt8]] = [:]
        var words: (found: [UInt8], sent: [UInt8])?
        /// The socket of a waiting link.
        var paused: Int32?
        var isReleased = false
    }

    private let folder: String
    private let target: String
    private let listener: Int32
    private let state = Guarded(State())
    private static let port = ".s.PGSQL.5432"

    /// `target` is the server's socket or IP address.
    package init(to target: String) throws {
        self.target = target
        var template = Array("/tmp/tapcard-cutter-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Failure(what: "folder") }
        folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        listener = LinkCutter.socket()
        let listener = listener
        let path = "\(folder)/\(LinkCutter.port)"
        let bound = unsafe LinkCutter.at(path) { unsafe bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 8) == 0 else { throw Failure(what: "socket") }
        Thread.detachNewThread { [self] in accept() }
    }

    package func address(of database: String) -> String {
        "postgresql:///\(database)?host=\(folder)&user=tapcard"
    }

    /// From now on, this many bytes pass in this direction. A cut applies to every link, anything
    /// else to the first that gets there.
    package func cut(after bytes: Int, _ direction: Direction, _ fate: Fate = .cut) {
        state.withLock {
            $0.fate = (direction, bytes, fate)
            $0.passed = [:]
            $0.isReleased = false
        }
    }

    /// From now on the server's answers have other bytes in place of these.
    package func replace(_ found: [UInt8], by sent: [UInt8]) {
        state.withLock { $0.words = (found, sent) }
    }

    /// Lets all waiting bytes pass.
    package func release() { state.withLock { $0.isReleased = true } }

    /// Whether a link is waiting for `release` or has waited.
    package var hasPaused: Bool { state.withLock { $0.paused != nil } }

    /// Closes a waiting link for the side that sent the bytes, which still arrive after `release`.
    package func hangUpPaused() {
        state.withLock { if let socket = $0.paused { shutdown(socket, Int32(SHUT_RDWR)) } }
    }

    /// The bytes that have passed since the last call of `cut`.
    package func passed(_ direction: Direction) -> [UInt8] {
        state.withLock { $0.passed[direction] ?? [] }
    }

    package func end() {
        release()
        shutdown(listener, Int32(SHUT_RDWR))
        state.withLock { for socket in $0.sockets { shutdown(socket, Int32(SHUT_RDWR)) } }
        unsafe unlink("\(folder)/\(LinkCutter.port)")
        unsafe rmdir(folder)
    }

    private func accept() {
        while true {
            let near = Glibc.accept(listener, nil, nil)
            guard near >= 0 else { break }
            let far = LinkCutter.connected(to: target)
            state.withLock { $0.sockets += [near, far] }
            Thread.detachNewThread { [self] in
                let back = Thread { [self] in pass(from: far, to: near, .toStation) }
                back.start()
                pass(from: near, to: far, .toServer)
                while !back.isFinished { usleep(500) }
                letGo([near, far])
            }
        }
        close(listener)
    }

    private func pass(from: Int32, to: Int32, _ direction: Direction) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(from, &bytes, bytes.count, 0)
            guard count > 0 else { break }
            let chunk = replaced(Array(bytes.prefix(count)), direction)
            let (passing, fate) = share(of: chunk, from, direction)
            guard LinkCutter.send(chunk.prefix(passing), to) else { break }
            guard let fate else { continue }
            if case .after(let happens) = fate { happens() }
            guard case .pause = fate else { break }
            while !state.withLock({ $0.isReleased }) { usleep(1_000) }
            guard LinkCutter.send(chunk.dropFirst(passing), to) else { break }
        }
        for socket in [from, to] { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    /// The number of these bytes that pass, and what happens then.
    private func share(
        of chunk: [UInt8], _ socket: Int32, _ direction: Direction
    ) -> (Int, Fate?) {
        state.withLock { state in
            guard let (meant, left, fate) = state.fate, meant == direction else {
                state.passed[direction, default: []] += chunk
                return (chunk.count, nil)
            }
            let passing = min(chunk.count, left)
            state.passed[direction, default: []] += chunk.prefix(passing)
            state.fate = (meant, left - passing, fate)
            guard passing < chunk.count else { return (passing, nil) }
            if case .cut = fate { return (passing, fate) }
            if case .pause = fate { state.paused = socket }
            state.fate = nil
            return (passing, fate)
        }
    }

    private func replaced(_ chunk: [UInt8], _ direction: Direction) -> [UInt8] {
        guard direction == .toStation, let words = state.withLock({ $0.words }) else {
            return chunk
        }
        return chunk.replacing(words.found, with: words.sent)
    }

    private static func send(_ bytes: ArraySlice<UInt8>, _ socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Forgets and closes sockets in one step, because their numbers are reused.
    private func letGo(_ sockets: [Int32]) {
        state.withLock { state in
            state.sockets.removeAll { sockets.contains($0) }
            for socket in sockets { close(socket) }
        }
    }

    private static func connected(to target: String) -> Int32 {
        guard !target.hasPrefix("/") else {
            let far = LinkCutter.socket()
            _ = unsafe LinkCutter.at(target) { unsafe connect(far, $0, $1) }
            return far
        }
        let far = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = in_port_t(5432).bigEndian
        unsafe inet_pton(AF_INET, target, &place.sin_addr)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(far, $0, size)
            }
        }
        return far
    }

    private static func socket() -> Int32 {
        Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private static func at(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &place.sun_path) { room in
            unsafe room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return unsafe withUnsafePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, size)
            }
        }
    }
}
