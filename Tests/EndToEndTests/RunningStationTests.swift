import Glibc
import OperatingSystem
import TestSupport
import Testing
import TextCodecs

/// A server keeps running while other programs work on the same keys and ledger.
@Suite("A long-running station", .ownThread)
struct RunningStationTests {
    /// A record sealed with a retired key would make a genuine card unacceptable.
    @Test("A running server never seals with a key that was retired after it started")
    func retiredKey() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        let server = try OtherTill(of: till)
        try server.show(till.simulation.path)
        try server.takeCard()
        try till.step("keys rotate")
        try till.step("pay 1")
        try till.step("pay 1")
        try till.step("keys retire 1 --for-ever")
        try till.step("sim tear 3 torn mix 7")
        #expect(try till.run(["pay", "5"]).status == 6)
        try till.step("sim put")
        let read = try server.show(till.simulation.path)
        #expect(read["resolved"]?.array?.count == 1)
        try server.giveBack(to: till.simulation.path)
        #expect(try till.step("read").contains("$18.00"))
        #expect(try till.step("pay 3").hasPrefix("Paid $3.00, $15.00 left\n"))
        #expect(try till.step("audit").contains("rules: all hold"))
    }

    @Test("A server reports what each tap resolved and what cash to pay out")
    func resolved() throws {
        for (verb, kind, amount) in [
            ("close", "close", "-20.00"), ("pay 4.50", "pay", "-4.50"), ("add 3", "add", "3.00"),
        ] {
            let till = try Till()
            try till.step("issue --balance 20")
            let server = try OtherTill(of: till)
            try server.show(till.simulation.path)
            try server.takeCard()
            try till.step("sim tear 4 pulled-after")
            #expect(try till.run(till.words(of: verb)).status == 6)
            try till.step("sim put")
            let resolved = try server.show(till.simulation.path)["resolved"]?.array ?? []
            #expect(resolved.count == 1)
            let words = ["kind", "amount", "outcome"].map { resolved.first?[$0]?.string }
            #expect(words == [kind, amount, "committed"])
            try server.stop()
        }
    }

    @Test("A restore is refused while a server still holds a ledger that was renamed")
    func movedLedger() throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("backup ~/copy")
        let server = try OtherTill(of: till)
        try server.show(till.simulation.path)
        try server.takeCard()
        let ledger = till.ledger
        try #require(unsafe rename(ledger, ledger + ".moved") == 0)
        let refused = try till.run(till.words(of: "restore-backup ~/copy"))
        #expect(refused.status == 9 && refused.errors.contains("is locked by another program"))
        #expect(try DurableFile(ledger).permissions() == nil)
        try server.stop()
        try till.step("restore-backup ~/copy")
        #expect(try till.step("read").contains("$20.00"))
    }
}

/// `tapcard serve` with its own simulated reader, to which the card is moved.
private final class OtherTill {
    private let page: CashierPage
    private let reader: String
    private let till: Till

    init(of till: Till) throws {
        self.till = till
        reader = till.file("other-reader.txt")
        try OtherTill.copy(till.simulation.path, to: reader, till)
        page = try CashierPage(till, with: ["TAPCARD_READER": "sim:\(reader)"])
    }

    private static func copy(_ simulation: String, to other: String, _ till: Till) throws {
        try DurableFile(other).write(Array(try till.text(of: simulation).utf8), mode: 0o600)
    }

    /// Copies the card from another reader to this one, and returns what the server read from it.
    @discardableResult
    func show(_ simulation: String) throws -> JSONValue {
        try OtherTill.copy(simulation, to: reader, till)
        let card = try page.card("the card is read") {
            $0["read"]?["uid"]?.string == Till.firstUID
        }
        return card["read"] ?? .null
    }

    func takeCard() throws {
        let ended = try till.run(["sim", "take"], with: ["TAPCARD_READER": "sim:\(reader)"])
        #expect(ended.status == 0, "\(ended.errors)")
        try page.card("the card is gone") { $0["session"] == .null }
    }

    /// Stops the server, and puts its card back on the other reader.
    func giveBack(to simulation: String) throws {
        try stop()
        try OtherTill.copy(reader, to: simulation, till)
    }

    func stop() throws { try page.stop() }
}
