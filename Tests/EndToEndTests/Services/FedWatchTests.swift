import Glibc
import OperatingSystem
import TestSupport
import Testing
import TextCodecs

/// `tapcard watch --from` receives the taps from a `tapcard serve`.
@Suite("A watch fed by a server", .ownThread)
struct FedWatchTests {
    private let till: Till
    /// Where the watch runs, without keys and without a ledger.
    private let other: Till

    init() throws {
        (till, other) = (try Till(), try Till())
        try till.step("issue --name Ann --balance 20")
        try addToken()
    }

    private var tokenFile: String { other.file("token") }

    private func addToken(_ words: String = "add watch --may watch") throws {
        let text = try till.step("tokens \(words)")
        try other.write(String(try #require(text.split(separator: "\n").last)), to: tokenFile)
    }

    private func start(
        _ page: CashierPage, _ words: [String] = ["--json"], token: String? = nil
    ) throws -> ChildProcess {
        try other.start(
            ["watch", "--from", page.address, "--token-file", token ?? tokenFile] + words)
    }

    private func events(_ process: ChildProcess) throws -> [String] {
        try process.output.split(separator: "\n").map { line in
            let document = try JSONValue.parsing(Array(line.utf8))
            return ["event", "uid", "kind", "trust", "error"]
                .compactMap { document[$0]?.string }.joined(separator: " ")
        }
    }

    private func wait(_ count: Int, _ process: ChildProcess) throws {
        try process.wait("event \(count)") {
            try process.output.split(separator: "\n").count >= count
                && process.output.hasSuffix("\n")
        }
    }

    @Test("It reports the taps at the server's reader without the server's keys or ledger")
    func all() throws {
        let page = try CashierPage(till)
        let process = try start(page)
        try wait(1, process)
        try till.step("sim take")
        try wait(2, process)
        try till.step("sim put NTAG215")
        try wait(3, process)
        process.signal(SIGTERM)
        let ended = try process.end()
        #expect(ended.status == 0 && ended.errors == "")
        let seen = try events(process)
        #expect(
            seen[..<2] == ["arrived \(Till.firstUID) NTAG213 sealed", "departed \(Till.firstUID)"])
        #expect(seen[2].hasSuffix(" NTAG215 uid") && !ended.output.contains("Ann"))
        #expect(unsafe access(other.keys, F_OK) != 0 && access(other.ledger, F_OK) != 0)
        try page.stop()
    }

    @Test("It continues after the server restarts, and ends when its token is revoked")
    func again() throws {
        var page = try CashierPage(till)
        let port = page.port
        let process = try start(page)
        try wait(1, process)
        try page.stop()
        try wait(2, process)
        try till.step("sim take")
        page = try CashierPage(till, ["--port", port])
        try wait(4, process)
        try till.step("tokens revoke watch")
        let ended = try process.end()
        #expect(
            try events(process) == [
                "arrived \(Till.firstUID) NTAG213 sealed", "reader service-cut-off", "reader",
                "departed \(Till.firstUID)", "reader service-cut-off", "service-refused",
            ])
        #expect(ended.status == 8)
        #expect(ended.output.contains("status 401: This API token is unknown"), "\(ended.output)")
        #expect(ended.output.contains("The watch has stopped."), "\(ended.output)")
        try page.stop()
    }

    @Test("It ends immediately if its token is unknown or is for another reader")
    func refused() throws {
        let page = try CashierPage(till)
        try other.write("tapcard_none", to: other.file("wrong"))
        let unknown = try start(page, token: other.file("wrong")).end()
        #expect(unknown.status == 8 && unknown.output.contains("status 401"), "\(unknown.output)")
        try addToken("add two --may watch --reader sim:2")
        let forbidden = try start(page).end()
        #expect(forbidden.output.contains("is for another reader"), "\(forbidden.output)")
        try page.stop()
    }

    @Test("A command finds no keys in its environment or its folders")
    func exec() throws {
        let page = try CashierPage(till)
        let script =
            "env > \(other.file("seen")).new && mv \(other.file("seen")).new \(other.file("seen"))"
        let process = try start(page, ["--exec", "/bin/sh", "--", "-c", script])
        let seen = DurableFile(other.file("seen"))
        try process.wait("the command") { try seen.read() != nil }
        process.signal(SIGTERM)
        _ = try process.end()
        let text = String(decoding: try #require(try seen.read()), as: UTF8.self)
        #expect(text.contains("TAPCARD_UID=\(Till.firstUID)\n") && !text.contains(till.home))
        #expect(!text.contains("tapcard_"), "the token")
        try page.stop()
    }

    @Test("The command in the systemd unit receives taps from the server of the other unit")
    func unit() throws {
        let path = Repository.path("packaging/tapcard-watch.service")
        let bytes = try #require(try DurableFile(path).read())
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        func words(_ name: String) throws -> [String] {
            let line = try #require(lines.first { $0.hasPrefix("\(name)=") })
            return line.dropFirst(name.count + 1).split(separator: " ").map(String.init)
        }
        let page = try CashierPage(till)
        var environment: [String: String?] = ["TAPCARD_READER": nil, "HOME": "/nowhere"]
        for variable in try words("Environment") {
            let parts = variable.split(separator: "=", maxSplits: 1).map(String.init)
            environment[parts[0]] = other.home + parts[1]
        }
        let command = try words("ExecStart").map {
            $0.replacing("http://127.0.0.1:8420", with: page.address)
                .replacing("%d/token", with: tokenFile)
        }
        #expect(command[..<3] == ["/usr/local/bin/tapcard", "watch", "--from"])
        #expect(command.contains(page.address) && command.contains(tokenFile))
        #expect(try words("User") == ["tapcard-watch"])
        let process = try other.start(Array(command.dropFirst()), with: environment)
        try process.wait("a line") { try process.output.contains("\(Till.firstUID) NTAG213") }
        process.signal(SIGTERM)
        #expect(try process.end().status == 0)
        try page.stop()
    }

    @Test(
        "Invalid options are refused before the watch starts",
        arguments: [
            (["--token-file", "/dev/null"], "--token-file has no effect without --from"),
            (["--from", "http://127.0.0.1"], "needs --token-file FILE"),
            (
                ["--from", "http://127.0.0.1", "--token-file", "/dev/null"],
                "contains no valid token"
            ),
            (
                ["--from", "http://127.0.0.1", "--token-file", "/nowhere"],
                "does not exist"
            ),
            (["--from", "http://127.0.0.1", "--reader", "sim"], "cannot be used with --reader"),
            (["--from", "http://127.0.0.1", "--with-balance"], "cannot be used with --reader"),
            (
                ["--from", "http://192.0.2.1", "--token-file", "/dev/null"],
                "on the network could read the token"
            ),
            (
                ["--from", "http://127.0.0.1.example", "--token-file", "/x"],
                "on the network could read the token"
            ),
            (
                ["--from", "http://localhost.example", "--token-file", "/x"],
                "on the network could read the token"
            ),
            (["--from", "ftp://localhost"], "not a valid address"),
        ])
    func nonsense(_ words: [String], _ reason: String) throws {
        let ended = try other.run(["watch"] + words)
        #expect(ended.status == 2, "\(ended.errors)")
        #expect(ended.errors.contains(reason), "\(ended.errors)")
        #expect(ended.errors.contains("The watch was not started."), "\(ended.errors)")
    }
}
