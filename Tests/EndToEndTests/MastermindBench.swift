import Glibc
import Testing

/// Mastermind against a sandbox: a counter, the services it talks to, and a terminal to play in.
final class MastermindBench {
    static let leaving = "\u{1B}[?25h\u{1B}[?1049l"
    static let taking = "\u{1B}[?1049h"

    let counter: Counter
    let sandbox: ChildProcess
    let terminal: Terminal
    private let variables: [String: String]
    private(set) var seen = ""

    init() throws {
        counter = try Counter()
        sandbox = try counter.start(["sandbox"])
        let sandbox = sandbox
        try sandbox.wait("it answers") { try sandbox.output.hasSuffix("ends it\n") }
        var variables = ["TERM": "xterm", "SWIFT_BACKTRACE": "enable=no"]
        for line in try sandbox.output.split(separator: "\n") where line.hasPrefix("export ") {
            let parts = line.dropFirst("export ".count).split(separator: "=", maxSplits: 1)
            variables[String(parts[0])] = String(parts[1])
        }
        self.variables = variables
        terminal = try Terminal()
        terminal.resize(columns: 80, rows: 24)
    }

    deinit { sandbox.signal(SIGTERM) }

    /// Runs a command that has to come out well, with the sandbox's password.
    @discardableResult
    func step(_ line: String) throws -> String {
        let ended = try run(line)
        #expect(ended.status == 0, "\(line): \(ended.errors)")
        return ended.output
    }

    func run(_ line: String, password: String? = "sandbox") throws -> Ended {
        try counter.run(
            counter.words(of: line),
            with: variables.merging(["TAPCARD_MASTERMIND_PASSWORD": password]) { $1 })
    }

    /// Starts a command in the terminal, where nobody has set a password.
    func start(_ line: String) throws -> ChildProcess {
        seen = ""
        return try counter.start(
            counter.words(of: line), with: variables.mapValues { $0 },
            streams: .init(terminal: terminal.path))
    }

    /// The board, as soon as it is there.
    func play(_ line: String = "mastermind play --no-color") throws -> ChildProcess {
        let process = try start(line)
        try wait(process, for: "[_]")
        return process
    }

    /// Waits until the terminal has shown this since the last time.
    func wait(
        _ process: ChildProcess, for text: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        var part = ""
        try process.wait("the terminal shows \(text); it showed \(seen)", at: location) {
            let new = terminal.read()
            seen += new
            part += new
            return part.contains(text)
        }
    }

    /// How a process in the terminal has ended, and all that was seen.
    func end(_ process: ChildProcess) throws -> Ended {
        #expect(ChildProcess.poll { hasEnded(process) })
        let ended = try process.end()
        seen += terminal.read()
        return Ended(status: ended.status, output: seen, errors: "")
    }

    /// Reads on, so that a process that writes can end.
    private func hasEnded(_ process: ChildProcess) -> Bool {
        seen += terminal.read()
        return process.hasEnded()
    }

    /// Lets the sandbox fail.
    func fail(_ word: String) throws {
        let address = try #require(variables["TAPCARD_MASTERMIND_URL"])
        let root = address.replacing("/mastermind/api/v2", with: "")
        let process = try ChildProcess(
            "/usr/bin/curl",
            ["--silent", "--max-time", "50", "-X", "PUT", "-d", word, "\(root)/sandbox/failure"],
            environment: [:], folder: counter.home)
        #expect(try process.end().status == 0)
    }
}
