import Glibc
import OperatingSystem
import TestSupport
import Testing

/// A program that keeps running while others work on the same keys and ledger.
@Suite("A long-running station", .ownThread)
struct RunningStationTests {
    /// A record sealed with a retired key would make a genuine card unacceptable.
    @Test("A running watch never seals with a key that was retired after it started")
    func retiredKey() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let watch = try Watch(at: till)
        try watch.show(till.simulation.path)
        try watch.takeCard()
        try till.step("keys rotate")
        try till.step("pay 1")
        try till.step("pay 1")
        try till.step("keys retire 1 --for-ever")
        try till.step("sim tear 3 torn mix 7")
        #expect(try till.run(["pay", "5"]).status == 6)
        try till.step("sim put")
        try watch.show(till.simulation.path)
        try watch.giveBack(to: till.simulation.path)
        #expect(try till.step("read").contains("$18.00"))
        #expect(try till.step("pay 3").hasPrefix("Paid $3.00, $15.00 left\n"))
        #expect(try till.step("audit").contains("rules: all hold"))
    }

    @Test("A watch says what each tap resolved and what cash to pay out")
    func resolved() throws {
        for (verb, words) in [
            ("close", "Give the customer $20.00 now."),
            ("pay 4.50", "payment of $4.50 went through"),
            ("add 3", "$3.00 went through"),
        ] {
            let till = try Till()
            try till.step("issue --balance 20")
            let watch = try Watch(at: till)
            try watch.show(till.simulation.path)
            try watch.takeCard()
            try till.step("sim tear 4 pulled-after")
            #expect(try till.run(till.words(of: verb)).status == 6)
            try till.step("sim put")
            try watch.show(till.simulation.path)
            try watch.wait(for: words)
            try watch.stop()
        }
    }

    @Test("A restore is refused while a watch still holds a ledger that was renamed")
    func movedLedger() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("backup ~/copy")
        let watch = try Watch(at: till)
        try watch.show(till.simulation.path)
        try watch.takeCard()
        let ledger = till.ledger
        try #require(unsafe rename(ledger, ledger + ".moved") == 0)
        let refused = try till.run(till.words(of: "restore-backup ~/copy"))
        #expect(refused.status == 9 && refused.errors.contains("is locked by another program"))
        #expect(try DurableFile(ledger).permissions() == nil)
        try watch.stop()
        try till.step("restore-backup ~/copy")
        #expect(try till.step("read").contains("$20.00"))
    }
}

/// `read --watch` on its own simulated reader, to which the card is moved.
private final class Watch {
    private let process: ChildProcess
    private let reader: String
    private let till: Till

    init(at till: Till) throws {
        self.till = till
        reader = till.file("other-reader.txt")
        try DurableFile(reader).write(
            Array(try till.text(of: till.simulation.path).utf8), mode: 0o600)
        process = try till.start(
            ["read", "--watch"], with: ["TAPCARD_READER": "sim:\(reader)"])
    }

    /// Puts the card as it is on another reader here, and waits until it is read.
    func show(_ simulation: String) throws {
        let before = try process.output
        try DurableFile(reader).write(Array(try till.text(of: simulation).utf8), mode: 0o600)
        try process.wait("the card is read") {
            try process.output.dropFirst(before.count).contains(Till.firstUID)
                || process.output == before && before.contains(Till.firstUID)
        }
    }

    func wait(for words: String) throws {
        try process.wait("it says: \(words)") { try process.output.contains(words) }
    }

    func takeCard() throws {
        let ended = try till.run(["sim", "take"], with: ["TAPCARD_READER": "sim:\(reader)"])
        #expect(ended.status == 0, "\(ended.errors)")
    }

    /// Stops the watch, and puts its card back on the other reader.
    func giveBack(to simulation: String) throws {
        try stop()
        try DurableFile(simulation).write(Array(try till.text(of: reader).utf8), mode: 0o600)
    }

    func stop() throws {
        process.signal(SIGINT)
        #expect(try process.end().status == 128 + SIGINT)
    }
}
