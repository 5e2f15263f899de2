import BlockingLane
import Glibc

/// One end of a socket that preserves message boundaries: a message is received either completely
/// or not at all.
package final class MessageChannel: Sendable {
    /// The maximum number of bytes in a message. Even the frames or responses of the longest batch
    /// are shorter.
    private static let maximumMessageSize = 65_536

    package enum Received: Equatable {
        case message([UInt8])
        /// The other end is gone.
        case closed
        case timedOut
    }

    /// The descriptor. It is guarded so that it is not closed while a thread is sending: its number
    /// could be reused for another file.
    private let descriptor: Guarded<Int32>

    /// Takes ownership of the descriptor.
    package init(_ descriptor: Int32) { self.descriptor = Guarded(descriptor) }

    deinit { close() }

    /// A pair of connected ends. Both have close-on-exec set.
    package static func pair() -> (MessageChannel, other: Int32)? {
        var ends: [Int32] = [-1, -1]
        // SOCK_SEQPACKET keeps messages separate and, unlike datagrams, reports when the other end
        // is gone.
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        return (MessageChannel(ends[0]), ends[1])
    }

    /// Sends a message; returns `false` if the other end cannot receive it.
    @discardableResult
    package func send(_ message: [UInt8]) -> Bool {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return false }
            while true {
                // Without MSG_NOSIGNAL, SIGPIPE would kill this process if the other end is gone.
                let count = unsafe message.withUnsafeBytes { bytes in
                    unsafe Glibc.send(
                        descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                }
                if count < 0 && errno == EINTR { continue }
                return count == message.count
            }
        }
    }

    /// Receives a message within a time limit; `nil` means no limit. Blocks the thread.
    package func receive(within limit: Duration?) -> Received {
        let descriptor = self.descriptor.withLock { $0 }
        guard descriptor >= 0 else { return .closed }
        let clock = ContinuousClock()
        let end = limit.map { clock.now.advanced(by: $0) }
        while true {
            // The remaining time is recalculated, because a signal may have interrupted the wait.
            let rest = end.map { MessageChannel.milliseconds(clock.now.duration(to: $0)) } ?? -1
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&entry, 1, rest)
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { return ready == 0 ? .timedOut : .closed }
            var message = [UInt8](repeating: 0, count: MessageChannel.maximumMessageSize)
            let count = unsafe message.withUnsafeMutableBytes { bytes in
                unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0)
            }
            if count < 0 && errno == EINTR { continue }
            // Messages are never empty, so 0 means that the other end is gone.
            return count > 0 ? .message(Array(message.prefix(count))) : .closed
        }
    }

    package func close() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        if open >= 0 { Glibc.close(open) }
    }

    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        let milliseconds = Double(seconds) * 1_000 + Double(attoseconds) / 1e15
        return Int32(min(max(0, milliseconds.rounded(.up)), Double(Int32.max)))
    }
}
