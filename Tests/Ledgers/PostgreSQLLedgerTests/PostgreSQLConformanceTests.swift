import Ledger
import LedgerConformance
import TapcardDomain
import TestSupport
import Testing

/// The ledger in PostgreSQL does what every ledger does.
@Suite("The ledger in PostgreSQL") struct PostgreSQLConformanceTests {
    @Test(
        "The ledger in PostgreSQL passes each conformance scenario",
        arguments: Thoroughness.some(Scenario.all, of: 12))
    func conforms(_ scenario: Scenario) async throws {
        try await TestDatabase.temporary { try await scenario.play(on: try await $0.open()) }
    }

    /// As in `SQLiteConformanceTests`.
    @Test(
        "The ledger in PostgreSQL answers random requests like the ledger in memory",
        arguments: Thoroughness.some([1, 20_260] as [UInt64], of: 2))
    func answersLikeTheLedgerInMemory(seed: UInt64) async throws {
        try await TestDatabase.temporary { database in
            let memory = InMemoryLedger()
            let ledger = try await database.open()
            var stations = RandomStations(seed: seed)
            for _ in 0..<(Thoroughness.asked > .usual ? 1000 : 150) {
                let step = try await stations.next { uid in try await memory.knownCard(of: uid) }
                let expected = try await step.take(on: memory)
                let answer = try await step.take(on: ledger)
                try #require(answer == expected, "seed \(seed), \(step)")
                stations.note(answer, to: step)
            }
            #expect(try await Snapshot(of: ledger) == Snapshot(of: memory))
            #expect(try await ledger.audit().violations == [])
        }
    }
}
