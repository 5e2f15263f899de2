import Glibc

/// A process that has its own network.
struct NetworkOfProcess: Sendable {
    let process: pid_t
    /// Whether it also has its own user namespace, which it needs if root did not start it.
    let hasOwnUsers: Bool
}

/// A connection into another process's network: a shell there relays what it reads.
final class NetworkRelay {
    /// Keeps other processes started in the meantime from holding it open.
    static let kindOfSocket = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    let descriptor: Int32
    private let process: pid_t

    init(to port: Int, in network: NetworkOfProcess) throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, NetworkRelay.kindOfSocket, 0, &ends) == 0 else {
            throw PlayFailure("no pair of sockets")
        }
        defer { close(ends[1]) }
        let script = """
            exec 3<>/dev/tcp/127.0.0.1/\(port) || exit 1
            (cat <&3; kill 0) &
            cat >&3
            kill 0
            """
        var words = ["nsenter", "--target", "\(network.process)", "--net"]
        if network.hasOwnUsers { words += ["--user", "--preserve-credentials"] }
        do {
            process = try spawn(
                words + ["bash", "-c", script], input: ends[1], output: ends[1])
        } catch {
            close(ends[0])
            throw error
        }
        descriptor = ends[0]
    }

    func end() {
        close(descriptor)
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
    }
}

/// The reason why the pcscd of the test cannot go on.
public struct PlayFailure: Error, CustomStringConvertible {
    public let description: String
    init(_ description: String) { self.description = description }
}

/// Starts a program, with a listener where systemd puts one. Its errors are discarded, because
/// pcscd's would fill the output of the tests.
func spawn(
    _ words: [String], input: Int32, output: Int32? = nil, listener: Int32? = nil
) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    if let output {
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    } else {
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    }
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    if let listener {
        let firstListener: Int32 = 3
        unsafe posix_spawn_file_actions_adddup2(&actions, listener, firstListener)
    }
    // In a group of its own, so that it can end itself with all that it started. Threads of Swift
    // block every signal, and a program that is started inherits that.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let number = unsafe posix_spawnp(
        &process, words[0], &actions, &attributes, &arguments, environ)
    guard number == 0 else { throw PlayFailure("\(words[0]) did not start: error \(number)") }
    return process
}
