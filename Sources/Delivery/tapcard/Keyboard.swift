import Dispatch
import Glibc
import Verbs

/// The keyboard of the terminal in which this process was started.
enum Keyboard {
    private enum Event {
        case typed
        /// The terminal is this process's: at the beginning, and after a shell has had it.
        case granted
    }

    private static let longestLine = 4_096
    private static let escape: UInt8 = 0x1B

    /// Nil where nobody can be asked.
    static let askSecretly: SecretQuestion? = {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        return { await ask($0) }
    }()

    private static func ask(_ question: String) async -> String? {
        var usual = termios()
        guard hideTyping(&usual) else { return nil }
        defer { giveBack(usual) }
        let (events, queue) = AsyncStream.makeStream(of: Event.self)
        let typing = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
        typing.setEventHandler { @Sendable in queue.yield(.typed) }
        let continuing = DispatchSource.makeSignalSource(signal: SIGCONT)
        // Asked before, a person could stop and continue this process unnoticed.
        continuing.setRegistrationHandler { @Sendable in queue.yield(.granted) }
        continuing.setEventHandler { @Sendable in queue.yield(.granted) }
        let sources: [any DispatchSourceProtocol] = [typing, continuing]
        for source in sources { source.activate() }
        defer { for source in sources { source.cancel() } }
        // Ends, too, when the task is cancelled.
        for await event in events {
            if event == .typed { return line() }
            // A shell shows what is typed.
            var shells = termios()
            guard hideTyping(&shells) else { return nil }
            write("\r" + question)
        }
        return nil
    }

    /// Hides what is typed; `usual` are the settings until then. In the background, the process
    /// first stops until it is in the foreground.
    private static func hideTyping(_ usual: inout termios) -> Bool {
        var stopping = sigset_t()
        var mask = sigset_t()
        unsafe sigemptyset(&stopping)
        unsafe sigaddset(&stopping, SIGTTOU)
        unsafe pthread_sigmask(SIG_UNBLOCK, &stopping, &mask)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &mask, nil) }
        guard tcdrain(STDIN_FILENO) == 0, unsafe tcgetattr(STDIN_FILENO, &usual) == 0 else {
            return false
        }
        var hidden = usual
        hidden.c_iflag |= tcflag_t(ICRNL | IUTF8)
        hidden.c_lflag = (hidden.c_lflag | tcflag_t(ICANON)) & ~tcflag_t(ECHO)
        return unsafe tcsetattr(STDIN_FILENO, TCSANOW, &hidden) == 0
    }

    /// The line that was typed; nil where Ctrl-D ended it, or where it has an escape.
    private static func line() -> String? {
        var bytes = [UInt8](repeating: 0, count: longestLine)
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        guard count > 0, bytes[count - 1] == UInt8(ascii: "\n"), !bytes.contains(escape) else {
            return nil
        }
        return String(validating: bytes[..<(count - 1)], as: UTF8.self)
    }

    /// Keys that were not read were meant for this process, and not for the shell.
    private static func giveBack(_ usual: termios) {
        // In the background the terminal is the shell's.
        guard tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
        tcflush(STDIN_FILENO, TCIFLUSH)
        _ = unsafe withUnsafePointer(to: usual) { unsafe tcsetattr(STDIN_FILENO, TCSANOW, $0) }
        write("\n")
    }

    /// Standard output may be a file with results: a question does not belong there.
    private static func write(_ text: String) {
        let output = isatty(STDERR_FILENO) == 1 ? STDERR_FILENO : STDIN_FILENO
        // A terminal that is gone asks nobody, and ends what is typed.
        try? Wiring.write(Array(text.utf8), to: output)
    }
}
