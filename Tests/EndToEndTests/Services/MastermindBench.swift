import Glibc
import Testing

/// Mastermind against a sandbox: a till, the services it talks to, and a terminal.
final class MastermindBench {
    let till: Till
    let services: PlayedServices
    let terminal: Terminal
    private let variables: [String: String?]
    private(set) var seen = ""
    /// The number of its bytes that were already waited for.
    private var passed = 0

    init() throws {
        till = try Till()
        services = try PlayedServices(till)
        variables = services.addresses.merging([
            "TERM": "xterm", "SWIFT_BACKTRACE": "enable=no",
        ]) { $1 }
        terminal = try Terminal()
    }

    /// Runs a command that must succeed, with the sandbox's password.
    @discardableResult
    func step(_ line: String) throws -> String {
        let ended = try run(line)
        #expect(ended.status == 0, "\(line): \(ended.errors)")
        return ended.output
    }

    func run(_ line: String, password: String? = "sandbox") throws -> Ended {
        var all = variables
        all["TAPCARD_MASTERMIND_PASSWORD"] = password
        return try till.run(till.words(of: line), with: all)
    }

    /// Starts a command in the terminal, without a password in its environment.
    func start(_ line: String) throws -> ChildProcess {
        (seen, passed) = ("", 0)
        return try till.start(
            till.words(of: line), with: variables,
            streams: .init(terminal: terminal.path))
    }

    /// Waits until the terminal has shown this after the text of the last wait.
    func wait(
        _ process: ChildProcess, for text: String, at location: SourceLocation = #_sourceLocation
    ) throws {
        var end = passed
        try process.wait("the terminal shows \(text); it showed \(seen)", at: location) {
            seen += terminal.read()
            let rest = String(decoding: seen.utf8.dropFirst(passed), as: UTF8.self)
            guard let found = rest.firstRange(of: text) else { return false }
            end = passed + rest[..<found.upperBound].utf8.count
            return true
        }
        passed = end
    }

    /// The exit status of a process in the terminal, and everything that was shown.
    func end(_ process: ChildProcess) throws -> Ended {
        #expect(ChildProcess.poll { hasEnded(process) })
        let ended = try process.end()
        seen += terminal.read()
        return Ended(status: ended.status, output: seen, errors: "")
    }

    /// Keeps reading, so that a process that writes can end.
    private func hasEnded(_ process: ChildProcess) -> Bool {
        seen += terminal.read()
        return process.hasEnded()
    }
}
