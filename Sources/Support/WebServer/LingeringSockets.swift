import CLinux
import Glibc
import OperatingSystem

/// Closed connections whose clients are still sending.
///
/// If a socket is closed while it has unread bytes, the connection is reset, and the client may
/// lose the response that refuses its request. Further bytes are therefore read and discarded for a
/// while.
struct LingeringSockets: ~Copyable {
    private struct Lingering {
        let descriptor: CInt
        let end: UInt64
        var bytesLeft = LingeringSockets.maximumBytes
    }

    static let maximumSockets = 64
    private static let maximumBytes = 16 << 20
    private static let milliseconds: UInt64 = 5000

    private let epoll: CInt
    private var sockets: [UInt64: Lingering] = [:]

    init(_ epoll: CInt) {
        self.epoll = epoll
    }

    deinit {
        for lingering in sockets.values { close(lingering.descriptor) }
    }

    var isEmpty: Bool { sockets.isEmpty }

    /// Keeps a duplicate of a socket that is about to be closed, under its connection's number.
    mutating func add(_ socket: CInt, _ number: UInt64) {
        // Only this many descriptors are reserved for lingering sockets.
        guard sockets.count < Self.maximumSockets else { return }
        // libmicrohttpd closes its own descriptor; this one keeps the connection open.
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return }
        guard linux_watch(epoll, copy, UInt32(linux_readable), number) == 0 else {
            close(copy)
            return
        }
        sockets[number] = Lingering(
            descriptor: copy, end: SystemClock.uptimeMilliseconds + Self.milliseconds)
    }

    /// Discards the received bytes. Does nothing if there is no socket with this number.
    mutating func drain(_ number: UInt64) {
        guard let lingering = sockets[number] else { return }
        let count = unsafe withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) {
            unsafe recv(lingering.descriptor, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT))
        }
        sockets[number]?.bytesLeft -= max(count, 0)
        if count < 0, errno == EAGAIN { return }
        // A client that never stops sending must not hold the descriptor forever.
        if count <= 0 || lingering.bytesLeft <= count { end(number) }
    }

    mutating func expire(_ now: UInt64) {
        for (number, lingering) in sockets where lingering.end <= now { end(number) }
    }

    private mutating func end(_ number: UInt64) {
        if let lingering = sockets.removeValue(forKey: number) { close(lingering.descriptor) }
    }
}
