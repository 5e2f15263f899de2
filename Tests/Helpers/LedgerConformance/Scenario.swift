public import Ledger
import TapcardDomain
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
        + customers + selling + cardless + shifts + tills
        + transactions

    /// Plays it on a fresh ledger in US dollars, and checks the invariants afterwards in any case.
    public func play(on ledger: any LedgerStore) async throws {
        try await steps(LedgerTill(ledger))
        #expect(try await ledger.audit().violations == [])
        // Reports add up the same accounts as the audit.
        let (sums, balances) = try await ledger.readWithoutBlocking { rows throws(LedgerError) in
            var sums = BookedSums()
            var pages = rows.pagesOfBookings(
                begunSince: .earliest, until: .latest)
            while let booking = try pages.next() { sums.add(booking) }
            var changes = rows.pagesOfCardless()
            while let change = try changes.next() { sums.add(Booking(change)) }
            return (sums, try rows.balances())
        }
        for account in Account.ofIssuer {
            #expect(sums.accounts[account, default: 0] == balances[account, default: 0])
        }
        let outstanding = balances.reduce(Int64(0)) {
            Account.ofIssuer.contains($1.key) ? $0 : $0 + $1.value
        }
        #expect(sums.purses == outstanding)
        let loaded = sums.loaded - sums.accounts[.adopted, default: 0] + sums.prizes
        #expect(loaded == sums.spent + sums.paidOutFromCards + outstanding)
    }
}
