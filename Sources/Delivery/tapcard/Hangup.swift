import BlockingLane
import Glibc

/// SIGHUP to a service: a request to read its files again. A program whose terminal has gone ends,
/// as any other.
enum Hangup {
    private static let listener = Guarded<(@Sendable () -> Void)?>(nil)
    private static let hadTerminal = Guarded(false)

    /// From now on it is a request.
    static func listen(_ answer: @escaping @Sendable () -> Void) {
        hadTerminal.withLock { $0 = hasTerminal }
        listener.withLock { $0 = answer }
    }

    /// Answers the request; false where it is none.
    static func isAnswered() -> Bool {
        guard let answer = listener.withLock({ $0 }),
            hasTerminal || !hadTerminal.withLock({ $0 })
        else { return false }
        answer()
        return true
    }

    /// Whether the session of this process has a terminal. One that has gone cannot be opened.
    private static var hasTerminal: Bool {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
