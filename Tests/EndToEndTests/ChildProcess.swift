import Glibc
import Testing

/// The output and status of a process that has ended.
struct Ended {
    /// The exit status, or 128 and the number of the signal that ended it, as a shell has it.
    let status: Int32
    let output: String
    let errors: String

    /// On a busy machine the played reader may answer too late for libnfc. Then nothing is done,
    /// or, with status 6, nothing more, and what was begun before stays open.
    var isWithoutReader: Bool {
        let text = output + errors
        // The reader's answer to the first selection may be late, too.
        return (status == 5 || status == 6) && text.contains("No usable NFC reader was found")
            || status == 1 && text.contains("selecting a tag: the reader did not respond in time")
                && (text.contains("Nothing was changed") || text.contains("Nothing was written"))
    }

    /// On a busy machine the database may also answer too late for a till. Then nothing is done.
    var isWithoutDatabase: Bool {
        status == 9
            && (errors.contains("the database did not respond in time")
                || errors.contains("timeout expired"))
    }
}

/// A process with its own environment, its output in files, and limits on time and output.
final class ChildProcess {
    struct Failure: Error {
        let what: String
        let number: Int32
    }

    /// The destination of a standard stream.
    enum Stream {
        /// A file of its own, which is read at the end.
        case kept
        case path(String)
        case descriptor(Int32)
    }

    /// The two streams that a program writes.
    struct Streams {
        var output = Stream.kept
        var errors = Stream.kept
        /// The terminal device for all three streams. The process leads a new session there, so
        /// that the keys that send signals reach it.
        var terminal: String?
    }

    private static let newSession: Int16 = 0x80
    private static let setMask: Int16 = 0x08
    private static let secondsLimit = 60.0
    private static let outputLimitInBytes = 1_048_576
    private static let pollingInMicroseconds: useconds_t = 1_000

    let process: pid_t
    private let outputPath: String
    private let errorPath: String
    private var ended: Int32?

    /// `folder` is for the files of the streams.
    init(
        _ program: String, _ arguments: [String], environment: [String: String], folder: String,
        streams: Streams = Streams()
    ) throws {
        let name = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        outputPath = "\(folder)/\(name).out"
        errorPath = "\(folder)/\(name).err"
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(
            &actions, 0, streams.terminal ?? "/dev/null",
            streams.terminal == nil ? O_RDONLY : O_RDWR, 0)
        for (number, stream, kept) in [
            (STDOUT_FILENO, streams.output, outputPath), (STDERR_FILENO, streams.errors, errorPath),
        ] {
            let path: String
            switch streams.terminal.map({ Stream.path($0) }) ?? stream {
            case .kept: path = kept
            case .path(let other): path = other
            case .descriptor(let descriptor):
                unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, number)
                continue
            }
            let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY
            unsafe posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o600)
        }
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        // A program that was built with a sanitizer has to behave as these tests were told to.
        var environment = environment
        for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
            if let value = unsafe getenv(name) {
                environment[name] = unsafe String(cString: value)
            }
        }
        var variables =
            unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe variables.forEach { unsafe free($0) }
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        if streams.terminal != nil {
            // Threads of a test let no signal through, and a process would inherit that.
            var mask = sigset_t()
            unsafe sigemptyset(&mask)
            unsafe posix_spawnattr_setsigmask(&attributes, &mask)
            // Tests that a shell started in the background ignore Ctrl-C, and so would the process.
            unsafe sigaddset(&mask, SIGINT)
            unsafe posix_spawnattr_setsigdefault(&attributes, &mask)
            unsafe posix_spawnattr_setflags(
                &attributes,
                ChildProcess.newSession | ChildProcess.setMask | Int16(POSIX_SPAWN_SETSIGDEF))
        }
        var process: pid_t = 0
        let number = unsafe posix_spawn(
            &process, program, &actions, &attributes, &words, &variables)
        guard number == 0 else { throw Failure(what: program, number: number) }
        self.process = process
    }

    deinit {
        guard ended == nil else { return }
        kill(process, SIGKILL)
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
    }

    /// Its output so far.
    var output: String { get throws { try ChildProcess.text(of: outputPath) } }
    var errors: String { get throws { try ChildProcess.text(of: errorPath) } }

    func signal(_ number: Int32) {
        if ended == nil { kill(process, number) }
    }

    /// Waits until a condition holds, such as a word in the output.
    func wait(
        _ what: Comment, at location: SourceLocation = #_sourceLocation,
        until isSo: () throws -> Bool
    ) throws {
        try #require(
            try ChildProcess.poll { try isSo() || hasEnded() } && isSo(), what,
            sourceLocation: location)
    }

    func end() throws -> Ended {
        guard ChildProcess.poll({ hasEnded() }), let status = ended else {
            throw Failure(what: "it did not end; it said: \(try output)\(try errors)", number: 0)
        }
        let signal = status & 0x7F
        return Ended(
            status: signal == 0 ? status >> 8 & 0xFF : 128 + signal,
            output: try output, errors: try errors)
    }

    /// Whether it has ended by now.
    func hasEnded() -> Bool {
        if ended != nil { return true }
        var status: Int32 = 0
        guard unsafe waitpid(process, &status, WNOHANG) == process else { return false }
        ended = status
        return true
    }

    /// Polls until a condition holds; false if it never does.
    static func poll(_ isSo: () throws -> Bool) rethrows -> Bool {
        let rounds = Int(secondsLimit * 1_000_000) / Int(pollingInMicroseconds)
        for _ in 0..<rounds {
            if try isSo() { return true }
            usleep(pollingInMicroseconds)
        }
        return false
    }

    /// A stream that was redirected has left no file here.
    private static func text(of path: String) throws -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: outputLimitInBytes)
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe read(descriptor, buffer.baseAddress, buffer.count)
        }
        guard count >= 0, count < bytes.count else {
            throw Failure(what: "more than \(outputLimitInBytes) bytes of output", number: errno)
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
