import DurableFile
import Testing

/// Files that are gone after a power cut, or after somebody tidied up. Nothing is made up in their
/// place, and no card is believed more than the ledger that is left.
@Suite("A file that is gone")
struct LostFileTests {
    @Test("the ledger's journal, with a payment in it: the card is ahead, an operator decides")
    func journal() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
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
        let tag = try counter.text(of: counter.simulation.path)
        for suffix in ["-wal", "-shm"] { try DurableFile(counter.ledger + suffix).remove() }
        for line in ["read", "pay 1", "add 1", "close"] {
            let ended = try counter.run(counter.words(of: line))
            #expect(ended.status == 9, "\(line)")
            #expect(ended.errors.contains("The card is ahead of the ledger"), "\(ended.errors)")
        }
        #expect(try counter.text(of: counter.simulation.path) == tag)
        #expect(try counter.step("audit --json").contains(#""open":0,"violations":[]"#))
        try counter.step("repair --card \(Counter.firstUID)")
        #expect(try counter.step("pay 1").hasPrefix("Paid $1.00, $19.00 left\n"))
    }

    @Test("the ledger, beside its keys: its cards are only looked at")
    func ledger() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        let tag = try counter.text(of: counter.simulation.path)
        try DurableFile(counter.ledger).remove()
        let read = try counter.run(["read", "--json"])
        #expect(read.output.contains(#""ledger":"unknown""#), "\(read.output)")
        for line in ["pay 1", "add 1", "close", "issue --balance 20"] {
            let ended = try counter.run(counter.words(of: line))
            #expect(ended.status == 4, "\(line): \(ended.output)\(ended.errors)")
            #expect(ended.errors.contains("tapcard adopt"), "\(line): \(ended.errors)")
        }
        #expect(try counter.text(of: counter.simulation.path) == tag)
        #expect(try counter.step("audit --json").contains(#""cards":0,"operations":0"#))
    }

    @Test("the ledger, but not its journal: none is begun")
    func ledgerWithoutJournal() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        let watched = try KillSwitch(counter).variables(.killAfter, at: 30, calls: "ledger")
        #expect(try counter.run(["pay", "1"], with: watched).status == 137)
        try DurableFile(counter.ledger).remove()
        for line in ["read", "pay 1"] {
            let ended = try counter.run(counter.words(of: line))
            #expect(ended.status == 9, "\(line)")
            #expect(ended.errors.contains("its journal is there"), "\(ended.errors)")
        }
        #expect(try DurableFile(counter.ledger).permissions() == nil)
    }

    @Test("the keys, beside their ledger: none are made")
    func keys() throws {
        let counter = try Counter()
        try counter.step("issue --balance 20")
        let tag = try counter.text(of: counter.simulation.path)
        try DurableFile(counter.keys).remove()
        for line in ["read", "pay 1", "add 1", "close", "keys list"] {
            let ended = try counter.run(counter.words(of: line))
            #expect(ended.status == 1, "\(line): \(ended.output)")
            #expect(ended.errors.contains("is missing, but the ledger has cards"), "\(line)")
        }
        #expect(try DurableFile(counter.keys).read() == nil)
        #expect(try counter.text(of: counter.simulation.path) == tag)
    }

    @Test("the settings: the ledger's own currency holds")
    func settings() throws {
        let counter = try Counter()
        let settings = counter.file(".config/tapcard/config.json")
        try counter.write(#"{"currency": "EUR"}"#, to: settings)
        try counter.step("issue --balance 20")
        try DurableFile(settings).remove()
        #expect(try counter.step("pay 1").hasPrefix("Paid €1.00, €19.00 left\n"))
    }
}
