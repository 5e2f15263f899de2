import BlockingLane
import Foundation
import Glibc
import TestSupport

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
        (listener, port) = try Loopback.listen(backlog: 64)
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
            let far = Loopback.socket()
            Loopback.connect(far, to: target)
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

    /// Runs until one end has nothing more to say or the other no longer listens.
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
}
