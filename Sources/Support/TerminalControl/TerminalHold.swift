import BlockingLane
import CLinux
import Glibc

/// A terminal in raw use: keys come one by one and are not echoed, until it is given back.
///
/// Ctrl-C and Ctrl-Z remain signals: their handlers work as for every other command.
final class TerminalHold: Sendable {
    /// The lock for drawing and settings, so that no thread draws on a screen that was given back
    /// because the process is being stopped.
    private struct Work {
        var shown: [String] = []
        var isClosed = false
    }

    private static let isTaken = Guarded(false)
    /// Created on first use and kept, because a signal handler may write to it at any time.
    private static let news: (reading: Int32, writing: Int32)? = {
        var ends: [Int32] = [-1, -1]
        return unsafe linux_pipe(&ends) == 0 ? (ends[0], ends[1]) : nil
    }()

    let events: AsyncStream<TerminalEvent>
    private let input: Int32
    private let output: Int32
    private let manner: TerminalManner
    private let news: (reading: Int32, writing: Int32)
    private let work = Guarded(Work())
    private let keyboard = Keyboard()
    private let reading: Task<Void, Never>

    private init(
        input: Int32, output: Int32, manner: TerminalManner, news: (reading: Int32, writing: Int32)
    ) {
        (self.input, self.output, self.manner, self.news) = (input, output, manner, news)
        let (events, queue) = AsyncStream.makeStream(of: TerminalEvent.self)
        self.events = events
        let (work, keyboard) = (work, keyboard)
        reading = Task {
            await keyboard.read(input, news.reading) { happening in
                if case .key(let key) = happening {
                    queue.yield(.key(key))
                    return
                }
                work.withLock { work in
                    guard !work.isClosed else { return }
                    if happening == .suspended { TerminalHold.stop() }
                    // Also after a change of size, because each terminal rearranges the lines in
                    // its own way.
                    TerminalHold.take(input, output, manner)
                    work.shown = []
                }
                queue.yield(.changed)
            }
            queue.finish()
        }
    }

    /// Takes the terminal. Only one caller at a time can have it.
    static func open(
        input: Int32, output: Int32, manner: TerminalManner
    ) throws(TerminalError) -> TerminalHold {
        let isFree = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFree else { throw TerminalError(.busy, "this process uses the terminal already") }
        var settings = termios()
        guard unsafe tcgetattr(input, &settings) == 0, let news else {
            let error = TerminalError(.unusable, unsafe String(cString: strerror(errno)))
            isTaken.withLock { $0 = false }
            throw error
        }
        linux_drain(news.reading)
        TerminalRescue.arm(
            input: input, output: output, settings: settings, leaving: manner.leaving,
            news: news.writing)
        take(input, output, manner)
        return TerminalHold(input: input, output: output, manner: manner, news: news)
    }

    /// Gives the terminal back and discards unread keys, which were meant for this program.
    func close() async {
        let isFirst = work.withLock { work in
            defer { work.isClosed = true }
            return !work.isClosed
        }
        guard isFirst else { return }
        var word = TerminalRescue.News.ended
        _ = unsafe Glibc.write(news.writing, &word, 1)
        await reading.value
        tcflush(input, TCIFLUSH)
        TerminalRescue.disarm()
        TerminalHold.isTaken.withLock { $0 = false }
    }

    /// Writes a text unchanged.
    func write(_ text: String) {
        work.withLock { work in
            guard !work.isClosed else { return }
            TerminalHold.write(text, to: output)
        }
    }

    /// Writes the lines that differ from those on the screen.
    func show(_ lines: [String]) {
        work.withLock { work in
            guard !work.isClosed else { return }
            var text = ""
            for (row, line) in lines.enumerated()
            where row >= work.shown.count || work.shown[row] != line {
                // Cleared before the text: after a full line the clearing would erase its end.
                text += "\u{1B}[\(row + 1);1H\u{1B}[K\(line)"
            }
            if work.shown.count > lines.count { text += "\u{1B}[\(lines.count + 1);1H\u{1B}[J" }
            work.shown = lines
            TerminalHold.write(text, to: output)
        }
    }

    private static func take(_ input: Int32, _ output: Int32, _ manner: TerminalManner) {
        guard TerminalRescue.rearm() else { return }
        // In the background this stops the process until it is brought to the foreground.
        TerminalHold.letThrough([SIGTTOU, SIGTTIN]) { _ = linux_make_keywise(input) }
        write("\(manner.taking)", to: output)
    }

    /// Gives the terminal back and stops the process, as Ctrl-Z does with any other; returns when
    /// it continues. The system does not stop a process that no shell could continue.
    private static func stop() {
        TerminalRescue.putBack()
        var usual = sigaction()
        var ours = sigaction()
        unsafe usual.__sigaction_handler.sa_handler = SIG_DFL
        unsafe sigaction(SIGTSTP, &usual, &ours)
        letThrough([SIGTSTP]) { raise(SIGTSTP) }
        unsafe sigaction(SIGTSTP, &ours, nil)
    }

    /// Unblocks signals while the body runs. Threads of a queue block all signals, but one that
    /// stops the process has to reach a thread.
    static func letThrough(_ numbers: [Int32], while body: () -> Void) {
        var signals = sigset_t()
        var mask = sigset_t()
        unsafe sigemptyset(&signals)
        for number in numbers { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, &mask)
        body()
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, !TerminalRescue.isDying {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count < 0 && errno == EINTR { continue }
            // A terminal that is gone shows nothing, and ends the stream of keys.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
