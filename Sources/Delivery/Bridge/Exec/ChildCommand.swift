package import BlockingLane
import CLinux
import Glibc

/// A command that runs once per event. It is started without a shell, in its own process group, and
/// inherits only the standard streams.
package struct ChildCommand: Sendable {
    /// How a run ended.
    package enum Outcome: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
        /// The command exceeded its time limit, so its process group was killed.
        case timedOut
        case notStarted(String)
    }

    /// The program and its arguments. A program name without a slash is looked up in `path`.
    package let words: [String]
    package let limit: Duration

    /// The PATH of the command. It is fixed because the command does not inherit the environment.
    package static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    /// How long a command may keep running after SIGTERM, and after the watch has ended.
    private static let gracePeriod = Duration.seconds(2)
    /// 5 milliseconds.
    private static let pollingInterval: useconds_t = 5_000

    package init(_ words: [String], limit: Duration) { (self.words, self.limit) = (words, limit) }

    /// Runs the command with this standard input and these environment variables, and waits for it
    /// to end. Its standard output goes to standard error, so that it does not mix with the events.
    package func run(
        input: [UInt8], _ variables: [String: String], until isStopped: Guarded<Bool>
    ) async -> Outcome {
        let variables = variables.merging(["PATH": ChildCommand.path]) { own, _ in own }
        return await Doorway(BlockingLane(label: "tapcard.exec")).run {
            start(input, variables, isStopped)
        }
    }

    private func start(
        _ input: [UInt8], _ variables: [String: String], _ isStopped: Guarded<Bool>
    ) -> Outcome {
        // With a pipe, a command that does not read its input would block this program.
        let stdin = unsafe linux_file_with(input, input.count)
        guard stdin >= 0 else { return .notStarted(ChildCommand.reason(errno)) }
        defer { close(stdin) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, stdin, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        unsafe _ = linux_close_from(&actions, STDERR_FILENO + 1)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        // Resets the signals that this program ignores or blocks.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var environment =
            unsafe variables.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer { unsafe (arguments + environment).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let number = unsafe posix_spawn(
            &process, resolved(words[0]), &actions, &attributes, &arguments, &environment)
        guard number == 0 else { return .notStarted(ChildCommand.reason(number)) }
        return wait(for: process, isStopped)
    }

    /// Waits until the command has ended. Kills it if it exceeds its limit or the watch is stopped.
    private func wait(for process: pid_t, _ isStopped: Guarded<Bool>) -> Outcome {
        let clock = ContinuousClock()
        var deadline = clock.now + limit
        var hasTime = true
        while !linux_has_ended(process) {
            if isStopped.withLock({ $0 }) {
                deadline = min(deadline, clock.now + ChildCommand.gracePeriod)
                isStopped.withLock { $0 = false }
            }
            if clock.now >= deadline {
                guard hasTime else { break }
                hasTime = false
                kill(-process, SIGTERM)
                deadline = clock.now + ChildCommand.gracePeriod
            }
            usleep(ChildCommand.pollingInterval)
        }
        // Kills processes that the command left running. The command has not been reaped yet, so
        // its process group ID cannot have been reused.
        kill(-process, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            if errno != EINTR { return .notStarted(ChildCommand.reason(errno)) }
        }
        guard hasTime else { return .timedOut }
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
    }

    /// Whether the program exists and may be run.
    package var canStart: Bool { unsafe access(resolved(words[0]), X_OK) == 0 }

    /// Returns the program's path. Searches `path` for a name without a slash, as a shell would.
    /// Returns an empty path if the program is not there.
    private func resolved(_ program: String) -> String {
        if program.contains("/") { return program }
        return ChildCommand.path.split(separator: ":").map { "\($0)/\(program)" }
            .first { unsafe access($0, X_OK) == 0 } ?? ""
    }

    private static func reason(_ number: Int32) -> String {
        unsafe String(cString: strerror(number))
    }
}
