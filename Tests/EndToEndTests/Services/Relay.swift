import BlockingLane
import Foundation
import Glibc
import Testing

/// Passes connections of this machine on to a port, and counts them.
final class Relay: Sendable {
    let port: UInt16
    private let target: UInt16
    private let listener: Int32
    private let count = Guarded(0)

    /// How many connections there have been.
    var connections: Int { count.withLock { $0 } }

    init(to target: UInt16) throws {
        self.target = target
        let listener = Relay.socket()
        self.listener = listener
        var place = Relay.place(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                unsafe bind(listener, place, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, place, &size) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: place.sin_port)
        Thread.detachNewThread { [self] in accept() }
    }

    /// For the time of the body.
    static func serving(_ target: UInt16, body: (Relay) throws -> Void) throws {
        let relay = try Relay(to: target)
        // The accepting thread is woken by it, and closes it.
        defer { shutdown(relay.listener, Int32(SHUT_RDWR)) }
        try body(relay)
    }

    private func accept() {
        while true {
            let near = Glibc.accept(listener, nil, nil)
            guard near >= 0 else { break }
            count.withLock { $0 += 1 }
            let far = Relay.socket()
            var place = Relay.place(port: target)
            _ = unsafe withUnsafePointer(to: &place) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(far, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            Thread.detachNewThread {
                let back = Thread { Relay.pass(from: far, to: near) }
                back.start()
                Relay.pass(from: near, to: far)
                while !back.isFinished { usleep(1_000) }
                close(near)
                close(far)
            }
        }
        close(listener)
    }

    /// Until one end has nothing more to say, or the other does not listen.
    private static func pass(from: Int32, to: Int32) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe recv(from, &bytes, bytes.count, 0)
            guard count > 0, unsafe send(to, bytes, count, Int32(MSG_NOSIGNAL)) == count else {
                break
            }
        }
        shutdown(to, Int32(SHUT_WR))
        shutdown(from, Int32(SHUT_RD))
    }

    private static func socket() -> Int32 {
        Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private static func place(port: UInt16) -> sockaddr_in {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return place
    }
}
