import Glibc
import TestSupport

/// Runs another project's program to its end and returns its output.
public struct Client {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The output and status of a client that has ended.
    public struct Ended {
        public let status: Int32
        /// Both streams, in order of arrival.
        public let text: String
    }

    private static let outputLimitInBytes = 1_048_576

    let program: String
    var arguments: [String] = []
    private var preload: [String] = []
    /// How long it may be silent.
    var secondsLimit: Int32 = 60

    /// A program of Debian's libnfc-bin or libnfc-examples.
    public static func libnfc(_ name: String) throws -> Client {
        var client = try Client(installed: "/usr/bin/\(name)")
        // Under a sanitizer the library needs a runtime that Debian's program does not load.
        guard !Thoroughness.isSanitized else { return client }
        client.preload = [
            "LD_PRELOAD=\(try Executable.path(of: "libKillSwitch.so"))",
            "KILL_SWITCH_PATIENCE=5",
        ]
        return client
    }

    /// nfcpy, in the environment that `make deps` creates.
    public static func nfcpy() throws -> Client {
        try python("Tests/Helpers/OtherClients/nfcpy_client.py")
    }

    /// ndeflib, which nfcpy uses.
    public static func ndeflib() throws -> Client {
        try python("Tests/Helpers/OtherClients/ndeflib_client.py")
    }

    /// pylibsdm and sphragis, on nfcpy.
    public static func dna() throws -> Client {
        try python("Tests/Helpers/OtherClients/dna_client.py")
    }

    /// The benchmark that runs tapcard and other programs on one reader, silently.
    public static func peers(secondsLimit: Int32) throws -> Client {
        var client = try python("Benchmarks/peers.py")
        client.secondsLimit = secondsLimit
        return client
    }

    /// schemathesis, which calls a server in every way that its document describes, silently.
    public static func schemathesis(secondsLimit: Int32) throws -> Client {
        var client = try python("Tests/Helpers/OtherClients/schemathesis_client.py")
        client.secondsLimit = secondsLimit
        return client
    }

    private static func python(_ script: String) throws -> Client {
        var client = try Client(installed: Repository.path(".build/python/bin/python"))
        client.arguments = [Repository.path(script)]
        return client
    }

    /// A missing program is a failure, because a skipped test proves nothing.
    private init(installed path: String) throws {
        guard unsafe access(path, X_OK) == 0 else {
            throw Failure(description: "\(path) is missing: run make deps")
        }
        program = path
    }

    /// Runs the client on one device only; `answers` is its standard input.
    public func run(
        _ words: [String], device: String? = nil, answers: String = ""
    ) throws -> Ended {
        let (input, inputEnd) = try Client.pipe()
        let (outputEnd, output) = try Client.pipe()
        defer { close(outputEnd) }
        let child = try spawn(words, device, input, output)
        close(input)
        close(output)
        // Shorter than the buffer of a pipe, so it never waits.
        _ = unsafe write(inputEnd, answers, answers.utf8.count)
        close(inputEnd)
        let text = text(from: outputEnd)
        if text == nil { kill(child, SIGKILL) }
        var status: Int32 = 0
        unsafe waitpid(child, &status, 0)
        guard let text else {
            throw Failure(description: "\(program) ran longer than \(secondsLimit) s")
        }
        let signal = status & 0x7F
        return Ended(status: signal == 0 ? status >> 8 & 0xFF : 128 + signal, text: text)
    }

    /// The stream's text up to its end; nil if that does not come in time.
    private func text(from descriptor: Int32) -> String? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<Client.outputLimitInBytes {
            var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&polled, 1, secondsLimit * 1_000)
            guard ready > 0 else { return nil }
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk.prefix(count)
            guard bytes.count <= Client.outputLimitInBytes else { return nil }
        }
        return nil
    }

    private func spawn(
        _ words: [String], _ device: String?, _ input: Int32, _ output: Int32
    ) throws -> pid_t {
        var environment = [
            "PATH=/usr/bin:/bin", "LIBNFC_AUTO_SCAN=false", "LIBNFC_INTRUSIVE_SCAN=false",
        ]
        environment += preload
        if let device { environment.append("LIBNFC_DEFAULT_DEVICE=\(device)") }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 2)
        var argumentList =
            unsafe ([program] + arguments + words).map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe argumentList.forEach { unsafe free($0) }
            unsafe variables.forEach { unsafe free($0) }
        }
        var child: pid_t = 0
        let number = unsafe posix_spawn(
            &child, program, &actions, nil, &argumentList, &variables)
        guard number == 0 else {
            throw Failure(description: "\(program) does not start: error \(number)")
        }
        return child
    }

    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&ends) == 0 else {
            throw Failure(description: "no pipe: error \(errno)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
