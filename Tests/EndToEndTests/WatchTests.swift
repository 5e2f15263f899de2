import Glibc
import OperatingSystem
import TestSupport
import Testing
import TextCodecs

/// `tapcard watch` with many kinds of tags and with commands that it runs.
@Suite("Watching any tag", .ownThread)
struct WatchTests {
    private func documents(_ process: ChildProcess) throws -> [JSONValue] {
        try process.output.split(separator: "\n", omittingEmptySubsequences: true)
            .map { try JSONValue.parsing(Array($0.utf8)) }
    }

    private func events(_ process: ChildProcess) throws -> [String] {
        try documents(process).map { document in
            ["event", "uid", "kind", "trust", "text", "url", "error"]
                .compactMap { document[$0]?.string }.joined(separator: " ")
        }
    }

    /// Waits for this many lines, and returns a summary of the last event.
    private func event(_ count: Int, _ process: ChildProcess) throws -> String {
        try process.wait("event \(count)") {
            try process.output.split(separator: "\n").count >= count
                && process.output.hasSuffix("\n")
        }
        return try events(process)[count - 1]
    }

    @Test("Tags are reported with their chip and trust, through libnfc")
    func all() throws {
        let station = try EmulatedTill()
        let till = station.till
        station.tell("remove")
        let process = try till.start(["watch", "--json"])
        station.tell("present")
        #expect(try event(1, process) == "arrived 04AC6B72BA6C80 NTAG213 uid")
        station.tell("remove")
        #expect(try event(2, process) == "departed 04AC6B72BA6C80")
        station.tell("present classic")
        let classic = try event(3, process)
        #expect(classic.hasPrefix("arrived ") && classic.contains("MIFARE Classic 1K uid"))
        #expect(classic.hasSuffix("unsupported-tag"))
        process.signal(SIGTERM)
        let ended = try process.end()
        #expect(ended.status == 0 && ended.errors == "", "\(ended.errors)")
        let schema = try JSONValue.parsing(Array(till.step("schema watch").utf8))
        let checker = SchemaChecker(document: schema)
        for document in try documents(of: ended.output) {
            #expect(checker.faults(of: document, against: schema) == [])
        }
    }

    private func documents(of output: String) throws -> [JSONValue] {
        try output.split(separator: "\n").map { try JSONValue.parsing(Array($0.utf8)) }
    }

    @Test("Written content is reported, and a card of this station has higher trust")
    func content() throws {
        let till = try Till()
        #expect(try first(till, ["watch", "--json"]).contains(#""trust":"uid","records":[]"#))
        try till.step("sim put NTAG215")
        try till.step("tag info")
        try till.step("tag read")
        try till.step("tag write --url https://example.com/1 --text Hello")
        // Commands for any tag do not set up the station.
        #expect(try DurableFile(till.keys).read() == nil)
        #expect(try DurableFile(till.ledger).read() == nil)
        #expect(
            try first(till, ["watch", "--json"]).contains(
                #""kind":"NTAG215","trust":"uid","text":"Hello","url":"https://example.com/1""#))
        let format = ["watch", "--format", "{uid} {text} {url}"]
        #expect(try first(till, format).hasSuffix(" Hello https://example.com/1\n"))
        try till.step("sim put \(Till.firstUID)")
        try till.step("issue --name Ann --balance 20")
        let before = try till.step("history")
        let card = try first(till, ["watch", "--json"])
        #expect(card.contains(#""trust":"sealed""#) && !card.contains("Ann"))
        let shown = try first(till, ["watch", "--json", "--with-balance"])
        #expect(
            shown.contains(#""card":{"id":null,"name":"Ann","balance":"20.00","currency":"USD"}"#))
        #expect(try till.step("history") == before)
        try till.step("sim put NTAG424")
        try till.step("issue --name Ben")
        #expect(try first(till, ["watch", "--json"]).contains(#""trust":"proved""#))
        // A copy of the records on another tag is not a card of this station.
        try till.step("sim put \(Till.firstUID)")
        try till.step("tag dump \(till.file("dump"))")
        try till.step("sim put NTAG213")
        try till.step("tag restore \(till.file("dump")) --overwrite")
        let copied = try first(till, ["watch", "--json"])
        #expect(copied.contains(#""trust":"uid""#) && copied.contains(#""error":"copied""#))
    }

    /// The first line that a watch prints for the tag on the reader.
    private func first(_ till: Till, _ words: [String]) throws -> String {
        let process = try till.start(words)
        try process.wait("a line") { try process.output.hasSuffix("\n") }
        process.signal(SIGTERM)
        return try process.end().output
    }

    @Test("A watch does not resolve an open payment")
    func open() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("sim tear 1 lost")
        #expect(try till.run(["pay", "5"]).status == 6)
        try till.step("sim put \(Till.firstUID)")
        let before = try DurableFile(till.simulation.path).read()
        _ = try first(till, ["watch", "--json"])
        #expect(try DurableFile(till.simulation.path).read() == before)
        #expect(try till.step("read").contains("$5.00"))
    }

    @Test("A command runs for each event, and its failure does not end the watch")
    func exec() throws {
        let till = try Till()
        let script = "echo \"$TAPCARD_EVENT $TAPCARD_UID $1\" >> \(till.home)/told; exit 3"
        let process = try till.start(
            ["watch", "--quiet", "--exec", "/bin/sh", "--", "-c", script, "sh", "a b"])
        let told = DurableFile("\(till.home)/told")
        func lines() throws -> [String] {
            String(decoding: try told.read() ?? [], as: UTF8.self).split(separator: "\n")
                .map(String.init)
        }
        try process.wait("the first run") { try lines().count == 1 }
        try till.step("sim take")
        try process.wait("the second run") { try lines().count == 2 }
        process.signal(SIGTERM)
        let ended = try process.end()
        #expect(
            try lines() == [
                "arrived \(Till.firstUID) a b", "departed \(Till.firstUID) a b",
            ])
        #expect(ended.status == 0 && ended.output == "")
        #expect(ended.errors.contains("The command /bin/sh ended with status 3."))
    }

    @Test(
        "Invalid options are refused before the watch starts",
        arguments: [
            (["--format", "{balance}"], "an unknown placeholder"),
            (["extra"], "got one argument too many"),
            (["--exec", ""], "is empty"), (["--exec", "/missing"], "does not exist"),
            (["--exec", "echo hi"], "after --"),
            (["--mqtt", "mqtt://localhost", "--topic", "a/#"], "+ and # are not allowed"),
            (["--webhook", "ftp://example.com"], "not a valid address"),
            (["--webhook", "https://example.com"], "needs a secret"),
            (["--webhook", "https://example.com", "--webhook-secret", "/dev/null"], "whsec_"),
            (["--reader", "sim", "--reader", "sim"], "was given twice"),
            (["--exec-trust", "proved"], "--exec"), (["--max-age", "5"], "--webhook"),
            (["--webhook-secret", "x"], "--webhook"), (["--json", "--format", "x"], "--json"),
            (["--mqtt-login", "x"], "--mqtt"), (["--keyboard-pattern", "x"], "--keyboard"),
            (["--mqtt", "mqtt://localhost"], "--topic"),
            (
                ["--mqtt", "mqtt://localhost", "--topic", "a", "--mqtt-login", "/dev/null"],
                "NAME:PASSWORD"
            ),
        ])
    func refused(_ words: [String], _ reason: String) throws {
        let ended = try Till().run(["watch"] + words)
        #expect(ended.status == 2, "\(ended.errors)")
        // With --json, the error is a document on standard output.
        let text = ended.errors + ended.output
        #expect(text.contains(reason) && text.contains("The watch was not started."), "\(text)")
    }

    @Test(
        "A secret that other users have access to is refused",
        arguments: [
            ["--webhook", "https://example.com", "--webhook-secret"],
            ["--mqtt", "mqtt://x", "--topic", "t", "--mqtt-login"],
            ["--from", "http://127.0.0.1", "--token-file"],
        ], [0o644, 0o640, 0o604, 0o620])
    func exposed(_ words: [String], _ mode: UInt32) throws {
        let till = try Till()
        let secret = "whsec_" + String(repeating: "A", count: 32)
        try till.write(secret, to: till.file("secret"), mode: mode)
        let ended = try till.run(["watch"] + words + [till.file("secret")])
        #expect(ended.status == 2)
        #expect(
            till.masked(ended.errors) == """
                tapcard: Other users have access to the file for \(words.last ?? "") (mode \
                \(String(mode, radix: 8))). The watch was not started. If you are sure that no \
                other user has read it, run: chmod 600 ~/secret

                """)
    }

    /// As with LoadCredential= in a unit. Only root can make such a file and run as another user.
    @Test(
        "A secret that root owns may be readable by its group, but not by everyone",
        .enabled(if: geteuid() == 0), arguments: [0o440, 0o444])
    func credential(_ mode: mode_t) throws {
        let till = try Till()
        let port = try Loopback.portForProgram()
        let nobody: uid_t = 65_534
        try till.write("token", to: till.file("token"))
        try till.setMode(of: till.file("token"), mode)
        try #require(unsafe chown(till.file("token"), 0, nobody) == 0)
        try #require(unsafe chown(till.home, nobody, nobody) == 0)
        let process = try ChildProcess(
            "/usr/bin/setpriv",
            [
                "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups", try Executable.path(),
                "watch", "--from", "http://127.0.0.1:\(port)", "--token-file", till.file("token"),
            ], environment: ["HOME": till.home], folder: till.home)
        if mode == 0o440 {
            try process.wait("an event") { try process.output.hasSuffix("\n") }
            process.signal(SIGTERM)
            #expect(try process.end().status == 0)
        } else {
            let ended = try process.end()
            #expect(ended.status == 2 && ended.errors.contains("(mode 444)"), "\(ended.errors)")
        }
    }

    @Test(
        "A secret is accepted from a private file, a pipe, or standard input",
        arguments: ["secret", "<(cat secret)", "- < secret", "/dev/stdin < secret", "link"])
    func secret(_ file: String) throws {
        let till = try Till()
        let port = try Loopback.portForProgram()
        try till.write("whsec_" + String(repeating: "A", count: 32), to: till.file("secret"))
        try #require(unsafe symlink("secret", till.file("link")) == 0)
        let script = """
            cd \(till.home)
            exec \(try Executable.path()) watch --webhook http://127.0.0.1:\(port) \
            --webhook-secret \(file)
            """
        let process = try ChildProcess(
            "/bin/bash", ["-c", script], environment: ["HOME": till.home, "TAPCARD_READER": "sim"],
            folder: till.home)
        try process.wait("an event") { try process.output.hasSuffix("\n") }
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
    }

    @Test("A short option after the command of --exec needs -- before it")
    func shortOption() throws {
        let ended = try Till().run(["watch", "--exec", "/bin/echo", "-h", "x"])
        #expect(ended.status == 2 && ended.output == "", "\(ended.output)")
        #expect(ended.errors.contains("Write -- before \"-h\""), "\(ended.errors)")
    }

    @Test("On a terminal, a watch says that it has started", arguments: [false, true])
    func started(isQuiet: Bool) throws {
        let till = try Till()
        let terminal = try Terminal()
        let process = try till.start(
            ["watch", "--json"] + (isQuiet ? ["--quiet"] : []),
            streams: .init(errors: .path(terminal.path)))
        try process.wait("a line") { try process.output.hasSuffix("\n") }
        process.signal(SIGTERM)
        _ = try process.end()
        #expect(terminal.read().contains("Press Ctrl-C to stop.") == !isQuiet)
    }
}
