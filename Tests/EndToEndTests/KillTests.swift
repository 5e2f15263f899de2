import Testing

/// The process dies at every WRITE, before it and after it, without a chance to tidy up.
/// `KilledProgramTests` kill it at every system call, also during every other change.
@Suite("A process killed at any WRITE", .ownThread)
struct KillTests {
    @Test(
        "a payment is made or not made, and the next tap says which",
        arguments: ["killed-before", "killed-after"])
    func payment(way: String) throws {
        let till = try Till()
        try till.step("issue --balance 100")
        var balance = 10_000
        var outcomes: Set<Bool> = []
        for write in 1...40 {
            try till.step("sim tear \(write) \(way)")
            let ended = try till.run(["pay", "1"])
            guard ended.status != 0 else {
                #expect(write > 7)
                #expect(outcomes == [true, false])
                return
            }
            #expect(ended.status == 137, "WRITE \(write)")
            #expect(ended.output == "", "WRITE \(write)")
            let resolved = try resolvedBalance(till)
            #expect(resolved == balance || resolved == balance - 100, "WRITE \(write)")
            outcomes.insert(resolved != balance)
            balance = resolved
        }
        Issue.record("there is no end of WRITEs")
    }

    /// The card's balance in cents after one tap that resolves and one that finds nothing to do.
    private func resolvedBalance(_ till: Till) throws -> Int {
        let first = try till.step("read --json")
        let second = try till.step("read --json")
        let balance = try #require(first.firstMatch(of: /"balance":"(\d+)\.(\d\d)"/))
        #expect(second.contains(#""display":"current","#))
        #expect(second.contains("\"balance\":\"\(balance.output.1).\(balance.output.2)\""))
        for reading in [first, second] {
            #expect(reading.contains(#""seal":"valid""#))
            #expect(reading.contains(#""ledger":"known""#))
        }
        #expect(try till.step("audit --json").contains(#""open":0,"violations":[]"#))
        return try #require(Int("\(balance.output.1)\(balance.output.2)"))
    }
}
