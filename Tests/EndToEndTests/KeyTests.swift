import Glibc
import OperatingSystem
import TestSupport
import Testing

@Suite("Keys on the command line", .ownThread)
struct KeyTests {
    private static let forged =
        "The card is forged: its records are sealed with a retired key. The card was rejected; the "
        + "full balance is safe in the ledger. Once you are sure that this is the original, an "
        + "operator can rewrite it from the ledger and make it valid: tapcard repair --card "
        + "04AC6B72BA6C80"

    @Test("The first run creates private keys and a ledger, and says once where they are")
    func firstRun() throws {
        let till = try Till()
        let words = """
            created the keys in ~/.local/share/tapcard/simulated/keys.json; the ledger is in \
            ~/.local/share/tapcard/simulated/ledger.sqlite, and its currency is USD
            tapcard: the reader is simulated, so this is play money, kept apart from the real ledger
            """
        try till.expect(
            "keys list --quiet", complains: words)
        try till.expect("keys list --quiet")
        for path in [till.keys, till.ledger] {
            #expect(try DurableFile(path).permissions() == 0o600, "\(path)")
        }
    }

    @Test("Concurrent commands create one key ring and never rotate to the same key")
    func concurrently() throws {
        let till = try Till()
        let processes = try (0..<4).map { _ in try till.start(["keys", "list"]) }
        let ended = try processes.map { try $0.end() }
        #expect(ended.allSatisfy { $0.status == 0 })
        #expect(ended.count { $0.errors.contains("created the keys") } == 1)
        let rotations = try (0..<4).map { _ in try till.start(["keys", "rotate"]) }
        let rotated = try rotations.map { try $0.end().output.prefix { $0 != "\n" } }
        #expect(
            rotated.sorted() == (2...5).map { "Records are now sealed with key \($0)" })
    }

    /// The lock may be held by a process that was stopped, or by another user's process.
    @Test("A rotation names the process that it waits for and can be stopped")
    func waiting() throws {
        let till = try Till()
        try till.step("demo")
        var lock = try FileLock.acquire(till.keys + ".lock", waiting: false)
        #expect(lock != nil)
        let process = try till.start(["keys", "rotate"])
        let words =
            "tapcard: Waiting for process \(getpid()) to finish changing the keys "
            + "(~/.local/share/tapcard/simulated/keys.json.lock).\n"
        // The number of the process is not masked here.
        try process.wait("it says so") {
            try process.errors.replacing(till.home, with: "~").hasSuffix(words)
        }
        let stopped = try till.start(["keys", "rotate"])
        try stopped.wait("it says so") { try stopped.errors.contains("Waiting for process") }
        stopped.signal(SIGTERM)
        let end = try stopped.end()
        #expect(end.status == 128 + SIGTERM)
        #expect(end.errors.hasSuffix("Canceled. The keys are unchanged.\n"))
        lock = nil
        let ended = try process.end()
        #expect(ended.status == 0 && ended.output.hasPrefix("Records are now sealed with key 2"))
    }

    @Test("A damaged key file is refused and left unchanged")
    func unusable() throws {
        let till = try Till()
        try till.step("demo")
        try till.write("{", to: till.keys)
        let ended = try till.run(["pay", "1"])
        #expect(ended.status == 1)
        #expect(ended.errors.hasSuffix("Restore the backup of the keys.\n"))
        #expect(ended.errors.hasPrefix("tapcard: The key file \(till.keys) is damaged: "))
        #expect(try till.text(of: till.keys) == "{")
    }

    @Test("Missing keys are not created again while the ledger has cards")
    func lost() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try DurableFile(till.keys).remove()
        for line in ["read", "pay 1", "keys list", "keys rotate", "keys export ~/copy.json"] {
            try till.expect(
                line, status: 1,
                complains:
                    "The key file ~/.local/share/tapcard/simulated/keys.json is missing, but the "
                    + "ledger has cards. Nothing was changed; all cards are refused, because "
                    + "without the keys, genuine and forged cards look the same. Restore the "
                    + "backup of the keys, or import them: tapcard keys import FILE")
            #expect(try DurableFile(till.keys).read() == nil)
        }
    }

    @Test("A card sealed with a retired key is refused until it is repaired")
    func retired() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("keys rotate")
        #expect(try till.step("read").hasSuffix("Seal: valid; ledger: card found"))
        try till.expect(
            "keys retire 1", status: 2,
            complains:
                "Retiring key 1 cannot be undone. Cards last sealed with it will be rejected as "
                + "forged: 1 (04AC6B72BA6C80). The key file was not changed. First use each of "
                + "these cards for any operation that changes it, so that it gets a new seal. Or "
                + "repeat this command with --for-ever, and then run for each card: tapcard repair "
                + "--card UID")
        #expect(
            try till.step("keys retire 1 --for-ever").hasPrefix(
                "Key 1 retired; cards that need tapcard repair: 1 (04AC6B72BA6C80)\n"))
        try till.expect("pay 1", status: 7, complains: KeyTests.forged)
        try till.step("repair --card 04AC6B72BA6C80")
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $19.00 left\n"))
        #expect(try till.step("keys list").hasPrefix("key 1  retired "))
    }

    @Test("A rotation after restoring an old key file skips key numbers that cards already use")
    func olderFile() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("keys export ~/older")
        try till.step("keys rotate")
        try till.step("keys export ~/newer")
        try till.step("pay 1")
        try till.write(till.text(of: till.file("older")), to: till.keys)
        let rotated = try till.step("keys rotate")
        #expect(rotated.hasPrefix("Records are now sealed with key 3\n"))
        #expect(
            rotated.hasSuffix(
                "\nSome cards use keys that this machine lacks (2); to import them, run: tapcard "
                    + "keys import FILE"))
        try till.step("keys import ~/newer")
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $18.00 left\n"))
        #expect(try till.step("keys list").contains("key 3  active"))
    }

    @Test("Doctor reports unusable keys with a remedy and exit status 1")
    func doctor() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        #expect(try till.run(["doctor"]).status == 0)
        let keys = try till.text(of: till.keys)
        func expect(_ what: String, _ remedy: String) throws {
            let ended = try till.run(["doctor"])
            let output = ended.output + ended.errors
            #expect(ended.status == 1 && output.contains("problem  "), "\(output)")
            #expect(output.contains(what) && output.contains(remedy), "\(output)")
            #expect(output.contains("The keys cannot be used. Follow the steps shown above."))
        }
        try till.setMode(of: till.keys, 0o644)
        try expect("can be read by other users (mode 644)", "chmod 600")
        try till.setMode(of: till.keys, 0o600)
        try till.write("{}", to: till.keys)
        try expect("is damaged", "Restore the backup of the keys")
        try #require(unsafe unlink(till.keys) == 0)
        try expect("is missing, but the ledger has cards", "tapcard keys import FILE")
        try till.write(keys, to: till.keys)
        try till.setMode(of: till.keys, 0o600)
        #expect(try till.run(["doctor"]).status == 0)
    }

    @Test("Exported keys equal the key file, and are imported only while no one else can read them")
    func files() throws {
        let (till, other) = (try Till(), try Till())
        try till.step("keys list")
        try till.step("keys export ~/k")
        let keys = try till.text(of: till.keys)
        #expect(try till.text(of: till.file("k")) == keys)
        #expect(try DurableFile(till.file("k")).permissions() == 0o600)
        try other.write(keys, to: other.file("k"))
        for mode: mode_t in [0o640, 0o604] {
            try other.setMode(of: other.file("k"), mode)
            try other.expect(
                "keys import ~/k", status: 1,
                complains:
                    "The key file ~/k can be read by other users (mode \(String(mode, radix: 8))). "
                    + "The key file was not changed. The file must come from tapcard keys export "
                    + "and be readable only by its owner.")
            #expect(try DurableFile(other.keys).read() == nil)
        }
        try other.setMode(of: other.file("k"), 0o600)
        try other.step("keys import ~/k")
        #expect(try other.text(of: other.keys) == keys)
    }
}
