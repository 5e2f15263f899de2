import CLinux
import Glibc

/// The net below a terminal that was taken: whatever ends the process, short of SIGKILL, puts the
/// terminal back first. What runs in a signal handler only calls what may be called there.
enum TerminalRescue {
    /// What the handlers have to know. It lies outside of Swift's own memory because a signal can
    /// come at any instruction.
    @unsafe private struct State {
        /// 1 while there is something to put back.
        var isArmed: Int32 = 0
        /// 1 when the process is dying: no other thread may paint any more.
        var isDying: Int32 = 0
        var input: Int32 = -1
        var output: Int32 = -1
        var settings = termios()
        var leaving: UnsafePointer<UInt8>?
        var leavingCount = 0
        /// Where the handlers say what has happened, for the thread that reads keys.
        var news: Int32 = -1
    }

    /// What the thread that reads keys is told, a byte each.
    enum News {
        static let resized = UInt8(ascii: "W")
        static let suspended = UInt8(ascii: "Z")
        static let continued = UInt8(ascii: "C")
        static let ended = UInt8(ascii: "E")
    }

    private static let signalCount = 65

    // Made once and never freed; the handlers run on any thread and cannot wait for a lock.
    private nonisolated(unsafe) static let state: UnsafeMutablePointer<State> = {
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe state.initialize(to: State())
        return unsafe state
    }()

    /// The handlers that were there before, by the number of their signal.
    // Written while no handler of ours is installed, and only read by those.
    private nonisolated(unsafe) static let former: UnsafeMutablePointer<sigaction> = {
        let former = UnsafeMutablePointer<sigaction>.allocate(capacity: signalCount)
        unsafe former.initialize(repeating: sigaction(), count: signalCount)
        return unsafe former
    }()

    /// The signals that end a process and that nobody else listens to here.
    private static let deaths = [
        SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGXCPU, SIGXFSZ,
        SIGALRM, SIGVTALRM, SIGPROF, SIGUSR1, SIGUSR2,
    ]
    private static let changes = [SIGWINCH, SIGTSTP, SIGCONT]

    /// From now on the terminal is put back, whatever happens.
    static func arm(
        input: Int32, output: Int32, settings: termios, leaving: StaticString, news: Int32
    ) {
        unsafe state.pointee = State(
            isArmed: 1, input: input, output: output, settings: settings,
            leaving: leaving.utf8Start, leavingCount: leaving.utf8CodeUnitCount, news: news)
        for number in deaths { unsafe install(die, for: number) }
        for number in changes { unsafe install(tell, for: number) }
    }

    /// The end of it: the handlers that were there before are there again.
    static func disarm() {
        putBack()
        for number in deaths + changes {
            unsafe sigaction(number, former + Int(number), nil)
        }
        unsafe state.pointee.news = -1
    }

    /// The terminal is about to be taken anew: the next death has something to put back. False
    /// where that death has come already.
    static func rearm() -> Bool {
        guard !isDying else { return false }
        unsafe state.pointee.isArmed = 1
        return true
    }

    static var isDying: Bool { unsafe state.pointee.isDying == 1 }

    /// Gives the terminal back as it was found, once. May be called in a signal handler.
    static func putBack() {
        guard unsafe state.pointee.isArmed == 1 else { return }
        unsafe state.pointee.isArmed = 0
        // A shell may use it now; what it has set is not ours to change.
        let owner = unsafe tcgetpgrp(state.pointee.input)
        guard owner < 0 || owner == getpgrp() else { return }
        unsafe tcsetattr(state.pointee.input, TCSANOW, &state.pointee.settings)
        var output = unsafe pollfd(fd: state.pointee.output, events: Int16(POLLOUT), revents: 0)
        // Nobody may be there to read it: then it is not worth waiting for.
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

    /// Puts the terminal back and leaves the rest to whoever was asked before.
    private static let die: Handler = { number, info, _ in
        unsafe TerminalRescue.state.pointee.isDying = 1
        TerminalRescue.putBack()
        unsafe sigaction(number, TerminalRescue.former + Int(number), nil)
        // A fault of the program's own happens again when it goes on where it was; whoever was
        // asked before then sees where that is.
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

/// For who ends the process at once: the terminal is given back as it was found.
public func giveTerminalBack() { TerminalRescue.putBack() }
