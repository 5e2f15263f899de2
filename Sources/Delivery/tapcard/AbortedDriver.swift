import Glibc

/// Signal handlers for a driver that crashes: libnfc calls abort() or corrupts memory when a reader
/// sends unexpected data.
enum AbortedDriver {
    /// From now on, a crash prints a plain message and ends the process with the exit status for an
    /// unknown outcome. The ledger is always written first, so the next tap resolves an open
    /// operation.
    static func reportUnknownOutcome() { for number in crashSignals { signal(number, end) } }

    /// From now on, a crash ends the process without a message; the parent process reports the
    /// crash.
    static func silence() { for number in crashSignals { signal(number, SIG_DFL) } }

    private static let crashSignals = [SIGABRT, SIGSEGV, SIGBUS]
    /// The exit status for an unknown outcome.
    private static let status: Int32 = 6

    /// The handler. It makes only async-signal-safe calls, so it must not allocate memory or take a
    /// lock.
    private static let end: @convention(c) (Int32) -> Void = { _ in
        let words: StaticString = """
            tapcard: libnfc stopped the program because the reader sent unexpected data, so the \
            outcome is unknown. Before you repeat anything, run tapcard read and tap the card, \
            which resolves whatever was left open. Then run tapcard history to see the outcome.

            """
        _ = unsafe write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
        _exit(status)
    }
}
