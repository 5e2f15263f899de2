import BlockingLane
import Foundation
import Glibc
import Testing

/// Stands between stations and the server's socket, and ends the link after so many bytes.
final class LinkCutter: Sendable {
    enum Direction: Sendable, CaseIterable { case toServer, toStation }

    struct Failure: Error { let what: String }

    private struct State {
        var direction: Direction?
        var bytesLeft = 0
        var sockets: [Int32] = []
    }

    private let folder: String
    private let target: String
    private let listener: Int32
    private let state = Guarded(State())
    private static let port = ".s.PGSQL.5432"

    /// `target` is the server's socket.
    init(to target: String) throws {
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

    func address(of database: String) -> String {
        "postgresql:///\(database)?host=\(folder)&user=tapcard"
    }

    /// From now on, so many bytes pass in this direction.
    func cut(after bytes: Int, _ direction: Direction) {
        state.withLock { ($0.direction, $0.bytesLeft) = (direction, bytes) }
    }

    func end() {
        shutdown(listener, Int32(SHUT_RDWR))
        hangUp()
        unsafe unlink("\(folder)/\(LinkCutter.port)")
        unsafe rmdir(folder)
    }

    private func accept() {
        while true {
            let near = Glibc.accept(listener, nil, nil)
            guard near >= 0 else { break }
            let far = LinkCutter.socket()
            _ = unsafe LinkCutter.at(target) { unsafe connect(far, $0, $1) }
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
            let passed = state.withLock { state -> Int in
                guard state.direction == direction else { return count }
                let passed = min(count, state.bytesLeft)
                state.bytesLeft -= passed
                return passed
            }
            let sent = unsafe send(to, bytes, passed, Int32(MSG_NOSIGNAL))
            guard sent == count else { break }
        }
        hangUp()
    }

    private func hangUp() {
        state.withLock { for socket in $0.sockets { shutdown(socket, Int32(SHUT_RDWR)) } }
    }

    /// Closes sockets that are not to be hung up any more: their numbers are given to others.
    private func letGo(_ sockets: [Int32]) {
        state.withLock { state in
            state.sockets.removeAll { sockets.contains($0) }
            for socket in sockets { close(socket) }
        }
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
