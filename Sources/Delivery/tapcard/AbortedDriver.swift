import Glibc

/// Signal handlers for a driver that crashes: libnfc calls abort() or damages memory when a reader
/// sends unexpected data.
enum AbortedDriver {
    /// Ends the process with an unknown outcome, in plain words instead of a stack trace. The
    /// ledger was written before, and the next tap resolves open operations.
    static func isUnknownOutcome() { for number in deaths { signal(number, end) } }

    /// Ends the process without a message: the parent process reports the signal.
    static func isSilent() { for number in deaths { signal(number, SIG_DFL) } }

    private static let deaths = [SIGABRT, SIGSEGV, SIGBUS]
    private static let status: Int32 = 6

    /// The handler. Only async-signal-safe calls: it neither allocates memory nor takes a lock.
    private static let end: @convention(c) (Int32) -> Void = { _ in
        let words: StaticString = """
            tapcard: The reader sent what libnfc does not understand, and libnfc gave up. Whether \
            what was asked for has happened is not known. Tap the card with tapcard read: it \
            resolves what is open, and tapcard history shows what was done. Do that before you \
            repeat anything.

            """
        _ = unsafe write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
        _exit(status)
    }
}
