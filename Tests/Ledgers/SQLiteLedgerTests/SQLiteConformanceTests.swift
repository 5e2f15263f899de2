import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import TestSupport
import Testing

/// The ledger in a file does what every ledger does.
///
/// The tests run one after the other because each ledger has files open and libnfc needs free
/// ones.
@Suite("The ledger in a file") struct SQLiteConformanceTests {
    @Test(
        "The ledger in a file passes each conformance scenario",
        arguments: Thoroughness.some(Scenario.all, of: 3))
    func conforms(_ scenario: Scenario) async throws {
        try await TestFolder.temporary { folder in
            try await scenario.play(on: try await folder.open(.usd))
        }
    }

    /// Thousands of requests of three stations, some out of date, some repeated, some senseless.
    @Test(
        "The ledger in a file answers random requests like the ledger in memory",
        arguments: Thoroughness.some([1, 20_260, 987_654_321] as [UInt64], of: 3))
    func answersLikeTheLedgerInMemory(seed: UInt64) async throws {
        var words: [String: Int] = [:]
        try await TestFolder.temporary { folder in
            let memory = InMemoryLedger()
            let file = try await folder.open(.usd)
            var stations = RandomStations(seed: seed)
            for _ in 0..<4000 {
                let step = try await stations.next { uid in try await memory.knownCard(of: uid) }
                let expected = try await step.take(on: memory)
                let answer = try await step.take(on: file)
                try #require(answer == expected, "seed \(seed), \(step)")
                stations.note(answer, to: step)
                words[answer.word, default: 0] += 1
            }
            #expect(try await Snapshot(of: file) == Snapshot(of: memory))
            let violations = try await file.audit().violations
            #expect(violations == [])
        }
        let met = [
            "begun", "known", "mismatched", "changed", "insufficient-balance", "limit-exceeded",
            "card-known", "card-unknown", "card-blocked", "wrong-state", "not-refundable",
            "already-refunded", "committed", "voided", "superseded", "resolved",
            "already-claimed", "asked", "paid out",
        ]
        for word in met { #expect(words[word] != nil, "\(words)") }
    }
}
