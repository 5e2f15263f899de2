import DurableFile
import Testing

/// Files that are gone after a power cut, or after somebody tidied up. Nothing is made up in their
/// place, and no card is believed more than the ledger that is left.
@Suite("A file that is gone", .ownThread)
struct LostFileTests {
    @Test("the ledger's journal, with a payment in it: the card is ahead, an operator decides")
    func journal() throws {
        let counter = try withCard()
        let before = try Counter(like: counter)
        let watched = try KillSwitch(counter)
        try #require(
            try counter.run(["pay", "1"], with: watched.variables(calls: "ledger")).status == 0)
        // Paid, and not yet folded into the ledger's own file.
        let folding = try #require(
            try watched.takeLog().first { $0.name == "write" && $0.path == counter.ledger })
        try counter.takeFiles(of: before)
        let killed = try counter.run(
            ["pay", "1"],
            with: watched.variables(.killBefore, at: folding.number, calls: "ledger"))
        #expect(killed.status == 137)
        for suffix in ["-wal", "-shm"] { try DurableFile(counter.ledger + suffix).remove() }
        try expectRefused(
            ["read", "pay 1", "add 1", "close"], at: counter, status: 9,
            saying: "The card is ahead of the ledger")
        #expect(try counter.step("audit --json").contains(#""open":0,"violations":[]"#))
        try counter.step("repair --card \(Counter.firstUID)")
        #expect(try counter.step("pay 1").hasPrefix("Paid $1.00, $19.00 left\n"))
    }

    @Test("the ledger, next to its keys: none is begun, and in a new one its cards are unknown")
    func ledger() throws {
        let counter = try withCard()
        try DurableFile(counter.ledger).remove()
        try expectRefused(
            ["read", "pay 1", "add 1", "close", "issue --balance 20", "audit", "keys list"],
            at: counter, status: 9, saying: "but there are keys")
        #expect(try DurableFile(counter.ledger).permissions() == nil)
        try counter.step("init")
        try expectRefused(
            ["pay 1", "add 1", "close", "issue --balance 20"], at: counter, status: 4,
            saying: "tapcard adopt")
        #expect(try counter.step("audit --json").contains(#""cards":0,"operations":0"#))
    }

    @Test("the ledger, but not its journal: none is begun")
    func ledgerWithoutJournal() throws {
        let counter = try withCard()
        let watched = try KillSwitch(counter).variables(.killAfter, at: 30, calls: "ledger")
        #expect(try counter.run(["pay", "1"], with: watched).status == 137)
        try DurableFile(counter.ledger).remove()
        try expectRefused(
            ["read", "pay 1"], at: counter, status: 9, saying: "but there are keys")
        #expect(try counter.run(["init"]).errors.contains("its journal is there"))
        #expect(try DurableFile(counter.ledger).permissions() == nil)
    }

    @Test("the keys, next to their ledger: none are made")
    func keys() throws {
        let counter = try withCard()
        try DurableFile(counter.keys).remove()
        try expectRefused(
            ["read", "pay 1", "add 1", "close", "keys list"], at: counter, status: 1,
            saying: "is missing, but the ledger has cards")
        #expect(try DurableFile(counter.keys).read() == nil)
    }

    @Test("the settings: the ledger's own currency holds")
    func settings() throws {
        let counter = try Counter()
        let settings = counter.file(".config/tapcard/simulated/config.json")
        try counter.write(#"{"currency": "EUR"}"#, to: settings)
        try counter.step("issue --balance 20")
        try DurableFile(settings).remove()
        #expect(try counter.step("pay 1").hasPrefix("Paid €1.00, €19.00 left\n"))
    }

    private func withCard() throws -> Counter {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        return counter
    }

    /// Each of these lines is refused with these words, and nothing is written to the card.
    private func expectRefused(
        _ lines: [String], at counter: Counter, status: Int32, saying words: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let tag = try counter.text(of: counter.simulation.path)
        for line in lines {
            let ended = try counter.run(counter.words(of: line))
            let said: Comment = "\(line): \(ended.output)\(ended.errors)"
            #expect(ended.status == status, said, sourceLocation: sourceLocation)
            #expect(ended.errors.contains(words), said, sourceLocation: sourceLocation)
        }
        #expect(
            try counter.text(of: counter.simulation.path) == tag, sourceLocation: sourceLocation)
    }
}
