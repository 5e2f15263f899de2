import Ledger
import LedgerConformance
import Testing

/// The ledger in memory does what every ledger does.
@Suite("The ledger in memory") struct InMemoryLedgerTests {
    @Test("The ledger in memory passes each conformance scenario", arguments: Scenario.all)
    func conforms(_ scenario: Scenario) async throws {
        try await scenario.play(on: InMemoryLedger())
    }
}
