import BlockingLane
import Dispatch
import Glibc
import Verbs

/// The keyboard of the terminal that this process was started in.
enum Keyboard {
    private enum Event {
        case typed
        case signal(Int32)
    }

    private static let maximumLineLength = 4_096
    private static let escape: UInt8 = 0x1B

    /// Prompts for a line with hidden input; nil if standard input is not a terminal.
    static let promptHidden: HiddenPrompt? = {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        return { await ask($0) }
    }()

    private static let listener = Guarded<AsyncStream<Event>.Continuation?>(nil)

    /// Receives signals that end, stop, or continue this process. `Wiring` handles those that ask
    /// the process to end.
    // Dispatch swallows these signals, so if no prompt is active, their default action is performed
    // here.
    private static let signals = Task {
        await Wiring.handleSignals([SIGALRM, SIGCONT, SIGQUIT, SIGTSTP, SIGUSR1, SIGUSR2]) {
            number in
            let isDelivered = listener.withLock { $0?.yield(.signal(number)) != nil }
            if !isDelivered { Wiring.performDefaultAction(number) }
        }
    }

    private static func ask(_ question: String) async -> String? {
        // Without the handlers, stopping and continuing the process would go unnoticed, and typing
        // would be visible afterward.
        await signals.value
        let (events, queue) = AsyncStream.makeStream(of: Event.self)
        listener.withLock { $0 = queue }
        defer { listener.withLock { $0 = nil } }
        guard let original = turnOffEcho() else { return nil }
        defer { restoreTerminal(original) }
        write(question)
        let typing = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO)
        typing.setEventHandler { @Sendable in queue.yield(.typed) }
        typing.activate()
        defer { typing.cancel() }
        // The loop also ends when the task is canceled.
        for await event in events {
            switch event {
            case .typed: return line()
            case .signal(SIGCONT): break
            case .signal(let number):
                restoreTerminal(original)
                Wiring.performDefaultAction(number)
            }
            // In the meantime, the shell had the terminal and made typing visible again.
            guard turnOffEcho() != nil else { return nil }
            write("\r" + question)
        }
        return nil
    }

    /// Hides what is typed and returns the previous settings. A background process is stopped here
    /// until it is in the foreground.
    private static func turnOffEcho() -> termios? {
        Wiring.unblocking(SIGTTOU) {
            var original = termios()
            guard tcdrain(STDIN_FILENO) == 0, unsafe tcgetattr(STDIN_FILENO, &original) == 0 else {
                return nil
            }
            var hidden = original
            hidden.c_iflag |= tcflag_t(ICRNL | IUTF8)
            // In canonical mode, the kernel edits the line, so Backspace works even though nothing
            // is shown.
            hidden.c_lflag = (hidden.c_lflag | tcflag_t(ICANON)) & ~tcflag_t(ECHO)
            return unsafe tcsetattr(STDIN_FILENO, TCSANOW, &hidden) == 0 ? original : nil
        }
    }

    /// The line that was typed; nil if the user ended it with Ctrl-D or if it contains an escape
    /// character.
    private static func line() -> String? {
        var bytes = [UInt8](repeating: 0, count: maximumLineLength)
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        // The escape sequence of a function key would add invisible letters to the password.
        guard count > 0, bytes[count - 1] == UInt8(ascii: "\n"), !bytes.contains(escape) else {
            return nil
        }
        return String(validating: bytes[..<(count - 1)], as: UTF8.self)
    }

    /// Restores the settings and discards unread keystrokes, which are not meant for the shell.
    private static func restoreTerminal(_ original: termios) {
        // While this process is in the background, the terminal belongs to the shell.
        let owner = tcgetpgrp(STDIN_FILENO)
        guard owner < 0 || owner == getpgrp() else { return }
        tcflush(STDIN_FILENO, TCIFLUSH)
        _ = unsafe withUnsafePointer(to: original) { unsafe tcsetattr(STDIN_FILENO, TCSANOW, $0) }
        write("\n")
    }

    /// Writes to the terminal, because standard output may be redirected to a file.
    private static func write(_ text: String) {
        let output = isatty(STDERR_FILENO) == 1 ? STDERR_FILENO : STDIN_FILENO
        // If the terminal is gone, nothing is shown, and reading then fails, which ends the prompt.
        try? Wiring.write(Array(text.utf8), to: output)
    }
}
