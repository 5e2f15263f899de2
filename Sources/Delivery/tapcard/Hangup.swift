import BlockingLane
import Glibc

/// Handles SIGHUP as a request to reread files. If the program's terminal is gone, SIGHUP ends the
/// program as usual.
enum Hangup {
    private static let listener = Guarded<(@Sendable () -> Void)?>(nil)
    private static let hadTerminal = Guarded(false)

    /// Installs the handler for SIGHUP.
    static func listen(_ answer: @escaping @Sendable () -> Void) {
        // A service never had a terminal, so a missing terminal must not end it.
        hadTerminal.withLock { $0 = hasTerminal }
        listener.withLock { $0 = answer }
    }

    /// Handles SIGHUP as a request; returns false if it must end the program.
    static func isAnswered() -> Bool {
        guard let answer = listener.withLock({ $0 }),
            hasTerminal || !hadTerminal.withLock({ $0 })
        else { return false }
        answer()
        return true
    }

    /// Whether this process has a controlling terminal. If the terminal is gone, it cannot be
    /// opened.
    private static var hasTerminal: Bool {
        let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
