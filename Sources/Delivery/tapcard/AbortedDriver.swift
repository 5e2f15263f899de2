import Glibc

/// What happens to this process when libnfc calls abort(), or damages the memory: it does so when a
/// reader sends it what it never expects.
enum AbortedDriver {
    /// Ends the process as one whose outcome is not known, in plain words instead of a trace: the
    /// ledger was written before, and the next tap settles what is open.
    static func isUnknownOutcome() { for number in deaths { signal(number, end) } }

    /// Ends the process without a word: whoever started it reads the signal and says what it means.
    static func isSilent() { for number in deaths { signal(number, SIG_DFL) } }

    private static let deaths = [SIGABRT, SIGSEGV, SIGBUS]
    private static let status: Int32 = 6

    /// Only what a signal handler may do: no memory is taken, nothing is locked.
    private static let end: @convention(c) (Int32) -> Void = { _ in
        let words: StaticString = """
            tapcard: The reader sent what libnfc does not understand, and libnfc gave up. Whether \
            what was asked for has happened is not known. Tap the card with tapcard read: it \
            settles what is open, and tapcard history shows what was done. Do that before you \
            repeat anything.

            """
        _ = unsafe write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount)
        _exit(status)
    }
}
