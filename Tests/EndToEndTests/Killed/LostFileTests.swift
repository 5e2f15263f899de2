import OperatingSystem
import TestSupport
import Testing

/// Files that were lost in a power cut or deleted by somebody. None is silently recreated, and no
/// card is trusted over the ledger that is left.
@Suite("Lost files", .ownThread)
struct LostFileTests {
    @Test("A lost ledger journal leaves the card ahead of the ledger until it is repaired")
    func journal() throws {
        let till = try withCard()
        let before = try Till(like: till)
        let watched = try KillSwitch(till)
        try #require(
            try till.run(["pay", "1"], with: watched.variables(calls: "ledger")).status == 0)
        // Paid, and not yet folded into the ledger's own file.
        let folding = try #require(
            try watched.takeLog().first { $0.name == "write" && $0.path == till.ledger })
        try till.takeFiles(of: before)
        let killed = try till.run(
            ["pay", "1"],
            with: watched.variables(.killBefore, at: folding.number, calls: "ledger"))
        #expect(killed.status == 137)
        for suffix in ["-wal", "-shm"] { try DurableFile(till.ledger + suffix).remove() }
        try expectRefused(
            ["read", "pay 1", "add 1", "close"], at: till, status: 9,
            saying: "The card's record is newer than the ledger's")
        #expect(try till.step("audit --json").contains(#""open":0,"violations":[]"#))
        try till.step("repair --card \(Till.firstUID)")
        #expect(try till.step("pay 1").hasPrefix("Paid $1.00, $19.00 left\n"))
    }

    @Test("A lost ledger is not recreated, and a new one does not know its cards")
    func ledger() throws {
        let till = try withCard()
        try DurableFile(till.ledger).remove()
        try expectRefused(
            ["read", "pay 1", "add 1", "close", "issue --balance 20", "audit", "keys list"],
            at: till, status: 9, saying: "This machine has keys")
        #expect(try DurableFile(till.ledger).permissions() == nil)
        try till.step("init")
        try expectRefused(
            ["pay 1", "add 1", "close", "issue --balance 20"], at: till, status: 4,
            saying: "tapcard adopt")
        #expect(try till.step("audit --json").contains(#""cards":0,"operations":0"#))
    }

    @Test("A lost ledger is not recreated while its journal is still there")
    func ledgerWithoutJournal() throws {
        let till = try withCard()
        let watched = try KillSwitch(till).variables(.killAfter, at: 30, calls: "ledger")
        #expect(try till.run(["pay", "1"], with: watched).status == 137)
        try DurableFile(till.ledger).remove()
        try expectRefused(
            ["read", "pay 1"], at: till, status: 9, saying: "This machine has keys")
        #expect(try till.run(["init"]).errors.contains("its WAL journal is still there"))
        #expect(try DurableFile(till.ledger).permissions() == nil)
    }

    @Test("Lost keys are not recreated while their ledger is there")
    func keys() throws {
        let till = try withCard()
        try DurableFile(till.keys).remove()
        try expectRefused(
            ["read", "pay 1", "add 1", "close", "keys list"], at: till, status: 1,
            saying: "is missing, but the ledger has cards")
        #expect(try DurableFile(till.keys).read() == nil)
    }

    @Test("Lost settings do not change the currency of the ledger")
    func settings() throws {
        let till = try Till()
        let settings = till.file(".config/tapcard/simulated/config.json")
        try till.write(#"{"currency": "EUR"}"#, to: settings)
        try till.step("issue --balance 20")
        try DurableFile(settings).remove()
        #expect(try till.step("pay 1").hasPrefix("Paid €1.00, €19.00 left\n"))
    }

    private func withCard() throws -> Till {
        let till = try Till()
        try till.step("issue --balance 20")
        return till
    }

    /// Expects that each line is refused with these words and that the card is left unchanged.
    private func expectRefused(
        _ lines: [String], at till: Till, status: Int32, saying words: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let tag = try till.text(of: till.simulation.path)
        for line in lines {
            let ended = try till.run(till.words(of: line))
            let said: Comment = "\(line): \(ended.output)\(ended.errors)"
            #expect(ended.status == status, said, sourceLocation: sourceLocation)
            #expect(ended.errors.contains(words), said, sourceLocation: sourceLocation)
        }
        #expect(
            try till.text(of: till.simulation.path) == tag, sourceLocation: sourceLocation)
    }
}
