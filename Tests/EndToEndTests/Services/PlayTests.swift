import Glibc
import Testing

@Suite("Mastermind on a board in a terminal", .ownThread)
struct PlayTests {
    private func bench(slots: Int = 4) throws -> MastermindBench {
        let bench = try MastermindBench()
        try bench.step("mastermind login amanda")
        try bench.step("mastermind start --slots \(slots)")
        return bench
    }

    @Test("a guess is made, the game is left with q, and everything is as it was")
    func guess() throws {
        let bench = try bench()
        let before = bench.terminal.settings
        let process = try bench.play()
        #expect(!bench.terminal.showsKeys)
        bench.terminal.type("12\u{1B}[D\u{1B}[B")
        try bench.wait(process, for: "[1]")
        bench.terminal.type("234\r")
        try bench.wait(process, for: "1 guess")
        #expect(bench.seen.contains(#/\d black, \d white/#))
        bench.terminal.type("q")
        let ended = try bench.end(process)
        #expect(ended.status == 0)
        #expect(ended.output.contains(MastermindBench.taking))
        let rest = try #require(ended.output.split(separator: MastermindBench.leaving).last)
        #expect(rest.hasPrefix("✓ Game "))
        #expect(rest.hasSuffix("  1 guess so far; tapcard mastermind play goes on\n"))
        #expect(bench.terminal.settings == before)
    }

    @Test(
        "whatever ends it, the terminal is as it was",
        arguments: [
            (SIGTERM, 143), (SIGHUP, 129), (SIGINT, 130), (SIGABRT, 134), (SIGSEGV, 139),
            (SIGILL, 132),
            (SIGTRAP, 133), (SIGBUS, 135), (SIGQUIT, 131), (SIGUSR1, 138),
        ] as [(Int32, Int32)])
    func ways(signal: Int32, status: Int32) throws {
        let bench = try bench()
        let before = bench.terminal.settings
        let process = try bench.play()
        #expect(bench.terminal.settings != before)
        process.signal(signal)
        let ended = try bench.end(process)
        #expect(ended.status == status)
        #expect(bench.terminal.settings == before)
        let parts = ended.output.split(
            separator: MastermindBench.leaving, omittingEmptySubsequences: false)
        #expect(parts.count == 2, "the screen is left once, and nothing is painted behind it")
        let stopped =
            "tapcard: Stopped. The game stays as it is. tapcard mastermind play goes on with it.\n"
        let isHeard = [SIGTERM, SIGHUP, SIGINT].contains(signal)
        #expect(parts.last == (isHeard ? stopped[...] : ""))
    }

    @Test(
        "the keys that send signals do so",
        arguments: [("\u{03}", 130), ("\u{1C}", 131)] as [(String, Int32)])
    func signalKeys(key: String, status: Int32) throws {
        let bench = try bench()
        let before = bench.terminal.settings
        let process = try bench.play()
        bench.terminal.type(key)
        let ended = try bench.end(process)
        #expect(ended.status == status)
        #expect(ended.output.contains(MastermindBench.leaving))
        #expect(bench.terminal.settings == before)
    }

    @Test("another size is painted at once, and one that is too small says so")
    func resize() throws {
        let bench = try bench(slots: 12)
        let process = try bench.play()
        bench.terminal.resize(columns: 20, rows: 8)
        try bench.wait(process, for: "1-6  ? help  q leave")
        bench.terminal.resize(columns: 19, rows: 8)
        try bench.wait(process, for: "least. q leaves.")
        bench.terminal.resize(columns: 100, rows: 30)
        try bench.wait(process, for: "Backspace clear")
        bench.terminal.type("q")
        #expect(try bench.end(process).status == 0)
    }

    @Test("Ctrl-Z gives the terminal back; the leader of a session goes on")
    func suspended() throws {
        let bench = try bench()
        let process = try bench.play()
        bench.terminal.type("\u{1A}")
        try bench.wait(process, for: MastermindBench.leaving)
        // The leader of a session is not stopped: no shell could start it again.
        try bench.wait(process, for: "[_]")
        #expect(!bench.terminal.showsKeys)
        bench.terminal.type("q")
        #expect(try bench.end(process).status == 0)
    }

    @Test("stopped and continued, it paints everything again")
    func continued() throws {
        let bench = try bench()
        let process = try bench.play()
        process.signal(SIGSTOP)
        process.signal(SIGCONT)
        try bench.wait(process, for: "[_]")
        bench.terminal.type("q")
        #expect(try bench.end(process).status == 0)
    }

    @Test("a login that expires while playing is renewed on the board, its password unseen")
    func expired() throws {
        let bench = try bench()
        let process = try bench.play()
        try bench.services.fail("expired-token*1")
        bench.terminal.type("1111\r")
        try bench.wait(process, for: "Password for amanda")
        bench.terminal.type("sandbox\r")
        try bench.wait(process, for: "1 guess")
        bench.terminal.type("q")
        let ended = try bench.end(process)
        #expect(ended.status == 0)
        #expect(!ended.output.contains("sandbox"))
    }

    @Test("a service that is gone is told, and the game stays")
    func serviceGone() throws {
        let bench = try bench()
        let process = try bench.play()
        try bench.services.stop()
        bench.terminal.type("1111\r")
        try bench.wait(process, for: "does not count")
        bench.terminal.type("q")
        #expect(try bench.end(process).status == 0)
    }

    @Test("the board without a terminal is refused, and names what does without")
    func noTerminal() throws {
        let bench = try bench()
        let refusal =
            "tapcard: The board needs a terminal, and a person at it. Nothing was sent. "
            + "Use tapcard mastermind guess instead.\n"
        let ended = try bench.run("mastermind play")
        #expect(ended.status == 2 && ended.errors == refusal)
        for line in ["mastermind play --quiet", "mastermind play --json"] {
            let process = try bench.start(line)
            #expect(try bench.end(process).status == 2)
            #expect(!bench.seen.contains(MastermindBench.taking))
        }
    }

    @Test("a password is asked for without being shown")
    func password() throws {
        let bench = try MastermindBench()
        let before = bench.terminal.settings
        var process = try bench.start("mastermind login amanda")
        try bench.wait(process, for: "Password for amanda: ")
        #expect(!bench.terminal.showsKeys)
        bench.terminal.type("x\u{15}sandbo\u{7F}ox\r")
        var ended = try bench.end(process)
        #expect(ended.status == 0)
        #expect(ended.output.hasSuffix("✓\u{1B}[0m Logged in to Mastermind as amanda\n"))
        #expect(!ended.output.contains("sandb"))
        #expect(bench.terminal.settings == before)
        process = try bench.start("mastermind login amanda")
        try bench.wait(process, for: "Password for amanda: ")
        bench.terminal.type("wrong\r")
        ended = try bench.end(process)
        #expect(ended.status == 8)
        #expect(!ended.output.contains("wrong\r"))
    }

    @Test(
        "a question that is given up puts the terminal back",
        arguments: ["\u{03}", "\u{04}", "\u{1B}"])
    func givenUp(key: String) throws {
        let bench = try MastermindBench()
        let before = bench.terminal.settings
        let process = try bench.start("mastermind login amanda")
        try bench.wait(process, for: "Password for amanda: ")
        bench.terminal.type("sand" + key)
        let ended = try bench.end(process)
        #expect(ended.status == (key == "\u{03}" ? 128 + SIGINT : 1))
        #expect(ended.output.hasSuffix(" Stopped. Nothing was sent.\n"))
        #expect(!ended.output.contains("sand"))
        #expect(bench.terminal.settings == before)
    }
}
