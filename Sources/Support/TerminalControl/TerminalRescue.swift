import CLinux
import Glibc

/// The safety net of a terminal that was taken: every end of the process except SIGKILL restores
/// the terminal first. Code in a signal handler calls only async-signal-safe functions.
enum TerminalRescue {
    /// The state for the handlers. It is outside of Swift's own memory because a signal can come at
    /// any instruction.
    @unsafe private struct State {
        /// 1 while there is something to restore.
        var isArmed: Int32 = 0
        /// 1 when the process is dying: no other thread may draw any more.
        var isDying: Int32 = 0
        var input: Int32 = -1
        var output: Int32 = -1
        var settings = termios()
        var leaving: UnsafePointer<UInt8>?
        var leavingCount = 0
        /// The descriptor to which handlers report, for the thread that reads keys.
        var news: Int32 = -1
    }

    /// The reports to the thread that reads keys, one byte each.
    enum News {
        static let resized = UInt8(ascii: "W")
        static let suspended = UInt8(ascii: "Z")
        static let continued = UInt8(ascii: "C")
        static let ended = UInt8(ascii: "E")
    }

    private static let signalCount = 65

    // Created once and never freed; the handlers run on any thread and cannot wait for a lock.
    private nonisolated(unsafe) static let state: UnsafeMutablePointer<State> = {
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe state.initialize(to: State())
        return unsafe state
    }()

    /// The previous handlers, by the number of their signal.
    // Written while none of our handlers is installed, and only read by those.
    private nonisolated(unsafe) static let former: UnsafeMutablePointer<sigaction> = {
        let former = UnsafeMutablePointer<sigaction>.allocate(capacity: signalCount)
        unsafe former.initialize(repeating: sigaction(), count: signalCount)
        return unsafe former
    }()

    /// The signals that end a process and have no other handler here.
    private static let deaths = [
        SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGXCPU, SIGXFSZ,
        SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2,
    ]
    private static let changes = [SIGWINCH, SIGTSTP, SIGCONT]

    /// Ensures from now on that the terminal is restored.
    static func arm(
        input: Int32, output: Int32, settings: termios, leaving: StaticString, news: Int32
    ) {
        unsafe state.pointee = State(
            isArmed: 1, input: input, output: output, settings: settings,
            leaving: leaving.utf8Start, leavingCount: leaving.utf8CodeUnitCount, news: news)
        for number in deaths { unsafe install(die, for: number) }
        for number in changes { unsafe install(tell, for: number) }
    }

    /// Ends the protection and restores the previous handlers.
    static func disarm() {
        putBack()
        for number in deaths + changes {
            unsafe sigaction(number, former + Int(number), nil)
        }
        unsafe state.pointee.news = -1
    }

    /// Prepares for the terminal being taken again: the next fatal signal has something to restore.
    /// False if a fatal signal has already come.
    static func rearm() -> Bool {
        guard !isDying else { return false }
        unsafe state.pointee.isArmed = 1
        return true
    }

    static var isDying: Bool { unsafe state.pointee.isDying == 1 }

    /// Restores the terminal as it was found, once. May be called in a signal handler.
    static func putBack() {
        guard unsafe state.pointee.isArmed == 1 else { return }
        unsafe state.pointee.isArmed = 0
        // A shell may use it now, and its settings must not be changed.
        let owner = unsafe tcgetpgrp(state.pointee.input)
        guard owner < 0 || owner == getpgrp() else { return }
        unsafe tcsetattr(state.pointee.input, TCSANOW, &state.pointee.settings)
        var output = unsafe pollfd(fd: state.pointee.output, events: Int16(POLLOUT), revents: 0)
        // The reader of the output may be gone: then it is not worth waiting for.
        guard unsafe poll(&output, 1, 0) == 1, let leaving = unsafe state.pointee.leaving else {
            return
        }
        _ = unsafe write(state.pointee.output, leaving, state.pointee.leavingCount)
    }

    private typealias Handler =
        @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

    private static func install(_ handler: Handler, for number: Int32) {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_sigaction = handler
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART
        unsafe sigfillset(&action.sa_mask)
        unsafe sigaction(number, &action, former + Int(number))
    }

    /// Restores the terminal and leaves the rest to the previous handler.
    private static let die: Handler = { number, info, _ in
        unsafe TerminalRescue.state.pointee.isDying = 1
        TerminalRescue.putBack()
        unsafe sigaction(number, TerminalRescue.former + Int(number), nil)
        // A fault of the program occurs again when execution continues at the same place; the
        // previous handler then sees that place.
        switch number {
        case SIGILL, SIGBUS, SIGFPE, SIGSEGV:
            if let info = unsafe info, unsafe info.pointee.si_code > 0 { return }
        default: break
        }
        raise(number)
    }

    private static let tell: Handler = { number, _, _ in
        var word =
            switch number {
            case SIGTSTP: News.suspended
            case SIGCONT: News.continued
            default: News.resized
            }
        let saved = errno
        _ = unsafe write(TerminalRescue.state.pointee.news, &word, 1)
        errno = saved
    }
}

/// Restores the terminal as it was found, for a caller that ends the process at once.
public func giveTerminalBack() { TerminalRescue.putBack() }
