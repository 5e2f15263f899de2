public import Ledger
public import Testing

/// Behavior that every ledger shares, however it stores its rows.
public struct Scenario: Sendable, CustomTestStringConvertible {
    public let testDescription: String
    private let steps: @Sendable (LedgerTill) async throws -> Void

    init(_ name: String, _ steps: @escaping @Sendable (LedgerTill) async throws -> Void) {
        testDescription = name
        self.steps = steps
    }

    public static let all =
        making + money + repetition + resolving + confirming + refusals + status
        + protection + keys + tickets + payouts + offline + activation + cashiers + looking
        + customers + selling + cardless + shifts
        + transactions

    /// Plays it on a fresh ledger in US dollars, and checks the invariants afterwards in any case.
    public func play(on ledger: any LedgerStore) async throws {
        try await steps(LedgerTill(ledger))
        #expect(try await ledger.audit().violations == [])
    }
}
