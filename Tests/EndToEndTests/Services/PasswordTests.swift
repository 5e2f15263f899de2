import Glibc
import TestSupport
import Testing

@Suite("A password typed at a terminal", .ownThread)
struct PasswordTests {
    private let bench: MastermindBench
    private let before: [String]

    init() throws {
        bench = try MastermindBench()
        before = bench.terminal.settings
    }

    private func asked() throws -> ChildProcess {
        let process = try bench.start("mastermind login amanda")
        try bench.wait(process, for: "Password for amanda: ")
        #expect(!bench.terminal.showsKeys)
        return process
    }

    @Test("A typed password is never shown on the terminal")
    func password() throws {
        var process = try asked()
        bench.terminal.type("x\u{15}sandbo\u{7F}ox\r")
        var ended = try bench.end(process)
        #expect(ended.status == 0)
        #expect(ended.output.hasSuffix("✓\u{1B}[0m Logged in to Mastermind as amanda\n"))
        #expect(!ended.output.contains("sandb"))
        #expect(bench.terminal.settings == before)
        process = try asked()
        bench.terminal.type("wrong\r")
        ended = try bench.end(process)
        #expect(ended.status == 8)
        #expect(!ended.output.contains("wrong\r"))
    }

    @Test("A password that is too long is refused instead of cut", arguments: [1_200, 5_000])
    func long(count: Int) throws {
        let process = try asked()
        for _ in 0..<(count / 100) { bench.terminal.type(String(repeating: "x", count: 100)) }
        bench.terminal.type("\r")
        let ended = try bench.end(process)
        #expect(ended.status == 2)
        // A terminal has no longer line.
        let kept = min(count, 4_095)
        #expect(
            ended.output.contains(
                "The password is \(kept) bytes long, but only 1024 bytes are allowed."),
            "\(ended.output)")
        #expect(try bench.services.curl("/sandbox").contains("\"requests\":[]"))
    }

    @Test(
        "Giving up at the password prompt sends nothing and restores the terminal",
        arguments: [("\u{03}", 130), ("\u{04}\u{04}", 1), ("\u{1B}\r", 1)] as [(String, Int32)])
    func givenUp(keys: String, status: Int32) throws {
        let process = try asked()
        bench.terminal.type("sand" + keys)
        let ended = try bench.end(process)
        #expect(ended.status == status)
        #expect(ended.output.hasSuffix(" Canceled. Nothing was sent.\n"))
        #expect(!ended.output.contains("sand"))
        #expect(bench.terminal.settings == before)
    }

    @Test(
        "A signal at the password prompt restores the terminal",
        arguments: [SIGTERM, SIGHUP, SIGINT])
    func cutOff(signal: Int32) throws {
        let process = try asked()
        process.signal(signal)
        #expect(try bench.end(process).status == 128 + signal)
        #expect(bench.terminal.settings == before)
    }

    @Test("A password stays hidden after the program was suspended and continued")
    func continued() throws {
        let process = try asked()
        process.signal(SIGSTOP)
        bench.terminal.showKeys()
        process.signal(SIGCONT)
        try bench.wait(process, for: "Password for amanda: ")
        #expect(!bench.terminal.showsKeys)
        bench.terminal.type("sandbox\r")
        let ended = try bench.end(process)
        #expect(ended.status == 0)
        #expect(!ended.output.contains("sandbox"))
        #expect(bench.terminal.settings == before)
    }
}
