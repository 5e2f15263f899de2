import BlockingLane
import CLinux
import Glibc

/// Reads keys, on a thread of its own.
actor Keyboard {
    /// An event at a terminal. After every event but a key, the terminal has to be taken again.
    enum Happening: Hashable, Sendable {
        case key(TerminalKey)
        case resized
        /// The process is asked to stop; it continues later.
        case suspended
        case continued
    }

    /// The time limit for the remaining bytes of a key.
    private static let patience: Int32 = 50
    private static let forEver: Int32 = -1

    private nonisolated let lane = BlockingLane(label: "tapcard.keyboard")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe lane.asUnownedSerialExecutor() }

    /// Returns on request, or when the terminal is gone.
    func read(
        _ input: Int32, _ news: Int32, tell: @Sendable (Happening) -> Void
    ) {
        var decoder = KeyDecoder()
        while true {
            var sources = [
                pollfd(fd: news, events: Int16(POLLIN), revents: 0),
                pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            ]
            let limit = decoder.isWaiting ? Keyboard.patience : Keyboard.forEver
            let count = unsafe poll(&sources, nfds_t(sources.count), limit)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return }
            if count == 0 {
                // Nothing followed in time: the pending bytes are complete, such as a lone escape.
                for key in decoder.finish() { tell(.key(key)) }
                continue
            }
            if sources[0].revents != 0 {
                for word in Keyboard.bytes(from: news) ?? [] {
                    switch word {
                    case TerminalRescue.News.ended: return
                    case TerminalRescue.News.suspended: tell(.suspended)
                    case TerminalRescue.News.continued: tell(.continued)
                    default: tell(.resized)
                    }
                }
                continue
            }
            guard let bytes = Keyboard.bytes(from: input) else { return }
            for key in decoder.take(bytes) { tell(.key(key)) }
        }
    }

    /// The available bytes. Nil at the end.
    private static func bytes(from descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        var count = 0
        TerminalHold.letThrough([SIGTTIN]) {
            count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
        }
        if count < 0 { return errno == EINTR || errno == EAGAIN ? [] : nil }
        return count == 0 ? nil : Array(bytes.prefix(count))
    }
}
