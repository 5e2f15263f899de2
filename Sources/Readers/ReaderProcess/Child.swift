import Glibc
import Tags

/// The process that drives the reader, and the socket for communicating with it.
package protocol ReaderLink: AnyObject {
    var channel: MessageChannel { get }
    var process: Int32? { get }
    /// Ends the process. If it had already ended on its own, returns how it ended.
    func end() -> String?
}

/// A child process, and the socket for communicating with it. The process is killed when this
/// object is destroyed.
final class Child: ReaderLink {
    let process: Int32?
    let channel: MessageChannel
    private var isEnded = false

    /// Starts the process in its own process group, so that Ctrl-C does not reach it. This program
    /// decides when the process ends.
    init(_ command: [String]) throws(ReaderError) {
        guard let program = command.first, let (channel, other) = MessageChannel.pair() else {
            throw ReaderError(.noReader, "no socket is available for the helper process")
        }
        // The child gets its own copy. As long as this copy stayed open, the child's exit would go
        // unnoticed.
        defer { close(other) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // Both ends have close-on-exec set, but dup2 clears it for the copy.
        unsafe posix_spawn_file_actions_adddup2(&actions, other, STDIN_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        // Dispatch's threads block all signals, and a child process would inherit that.
        var noSignals = sigset_t()
        unsafe sigemptyset(&noSignals)
        unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
        var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let number = unsafe posix_spawn(
            &process, program, &actions, &attributes, &arguments, environ)
        guard number == 0 else {
            throw ReaderError(
                .noReader,
                "the helper process cannot be started: \(unsafe String(cString: strerror(number)))"
            )
        }
        self.process = process
        self.channel = channel
    }

    deinit { _ = end() }

    func end() -> String? {
        guard !isEnded, let process else { return nil }
        isEnded = true
        channel.close()
        // A hung libnfc call does not respond to any other signal.
        kill(process, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        // If the SIGKILL above ended the process, it was still running.
        if signal == SIGKILL { return nil }
        return signal == 0 ? "status \(status >> 8 & 0xFF)" : "signal \(signal)"
    }
}
