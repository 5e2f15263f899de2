import Testing
import Thoroughness

/// The process dies at every WRITE, before it and after it, without a chance to tidy up. Whoever
/// looks next finds the old card or the new one, and a ledger in which nothing is open.
@Suite("A process killed at any WRITE", .ownThread)
struct KillTests {
    static let ways = ["killed-before", "killed-after"]
    private static let mostWrites = 40
    private static let killed: Int32 = 137

    @Test("a payment is made or not made, and the next tap says which", arguments: ways)
    func payment(way: String) throws {
        let till = try Till()
        try till.step("issue --balance 100")
        var balance = 10_000
        var outcomes: Set<Bool> = []
        let writes = try everyWrite { write in
            guard try interrupts("pay 1", till, write, way) else { return false }
            let resolved = try resolvedBalance(till)
            #expect(resolved == balance || resolved == balance - 100, "WRITE \(write)")
            outcomes.insert(resolved != balance)
            balance = resolved
            return true
        }
        #expect(writes >= 7)
        #expect(outcomes == [true, false])
    }

    @Test("the same request again happens once", .checkOnly, arguments: ways)
    func retry(way: String) throws {
        let till = try Till()
        try till.step("issue --balance 100")
        var balance = 10_000
        let writes = try everyWrite { write in
            let digits = String(100 + write)
            let line = "pay 1 --operation 6f1c2a34-5b6d-4e7f-8a90-1b2c3d4e5\(digits)"
            guard try interrupts(line, till, write, way) else { return false }
            balance -= 100
            #expect(try till.step(line).hasPrefix("Paid $1.00, "), "WRITE \(write)")
            #expect(try till.step(line).contains("(replayed: done before, not again)"))
            #expect(try resolvedBalance(till) == balance, "WRITE \(write)")
            return true
        }
        #expect(writes >= 7)
    }

    @Test("a top-up is never lost", arguments: ways)
    func topUp(way: String) throws {
        let till = try Till()
        try till.step("issue --balance 1")
        var balance = 100
        let writes = try everyWrite { write in
            guard try interrupts("add 1", till, write, way) else { return false }
            balance += 100
            #expect(try resolvedBalance(till) == balance, "WRITE \(write)")
            return true
        }
        #expect(writes >= 7)
    }

    @Test("a card that was being made is finished", .checkOnly, arguments: ways)
    func issue(way: String) throws {
        let blank = try Till()
        try blank.step("keys list")
        let writes = try everyWrite { write in
            let till = try Till(like: blank)
            guard try interrupts("issue --balance 7 --name Ann", till, write, way) else {
                return false
            }
            #expect(try resolvedBalance(till) == 700, "WRITE \(write)")
            return true
        }
        #expect(writes >= 20)
    }

    /// All at once, because each of them takes its two seconds.
    @Test("a code that was revealed is kept", .checkOnly, arguments: ways)
    func scratch(way: String) throws {
        let issued = try Till()
        try issued.step("issue --balance 7")
        let tills = try (1...30).map { write in
            let till = try Till(like: issued)
            try till.step("sim tear \(write) \(way)")
            return (till: till, process: try till.start(["scratch", "--json"]))
        }
        var writes = 0
        for (till, process) in tills {
            let ended = try process.end()
            if ended.status != KillTests.killed {
                #expect(ended.status == 0)
                continue
            }
            writes += 1
            #expect(ended.output == "")
            #expect(try resolvedBalance(till, scratched: true) == 700)
        }
        #expect((20..<tills.count).contains(writes))
    }

    /// Counts the WRITEs until a command line gets by without being interrupted.
    private func everyWrite(_ interrupts: (Int) throws -> Bool) throws -> Int {
        for write in 1...KillTests.mostWrites where try !interrupts(write) { return write - 1 }
        Issue.record("there is no end of WRITEs")
        return KillTests.mostWrites
    }

    /// Runs a command line that dies at a WRITE; false if it has fewer of them.
    private func interrupts(
        _ line: String, _ till: Till, _ write: Int, _ way: String
    ) throws -> Bool {
        try till.step("sim tear \(write) \(way)")
        let ended = try till.run(till.words(of: line))
        if ended.status == 0 { return false }
        #expect(ended.status == KillTests.killed, "\(line), WRITE \(write)")
        #expect(ended.output == "", "\(line), WRITE \(write)")
        return true
    }

    /// The card's balance in cents after one tap that resolves and one that finds nothing to do.
    private func resolvedBalance(_ till: Till, scratched: Bool = false) throws -> Int {
        let first = try till.step("read --json")
        let second = try till.step("read --json")
        let balance = try #require(first.firstMatch(of: /"balance":"(\d+)\.(\d\d)"/))
        #expect(second.contains(#""display":"current","#))
        #expect(second.contains("\"balance\":\"\(balance.output.1).\(balance.output.2)\""))
        let state = scratched ? #""code":"<uuid>","state":"scratched""# : #""code":null"#
        #expect(till.masked(second).contains(state))
        for reading in [first, second] {
            #expect(reading.contains(#""seal":"valid""#))
            #expect(reading.contains(#""ledger":"known""#))
        }
        #expect(try till.step("audit --json").contains(#""open":0,"violations":[]"#))
        return try #require(Int("\(balance.output.1)\(balance.output.2)"))
    }
}
