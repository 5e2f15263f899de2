import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import Testing

/// A journal that several stations book at the same time, as with copies of it.
@Suite("Deferred purchases in PostgreSQL", .serialized) struct DeferredSettlingTests {
    @Test func areBookedOnceByStationsAtTheSameTime() async throws {
        try await TestDatabase.temporary { database in
            let desk = Desk(try await database.open())
            try await desk.complete(.issue(500), id: 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for station in 1...4 {
                    let ledger = try await database.open(station: station)
                    group.addTask {
                        for number in 1...10 {
                            _ = try await ledger.settle(
                                DeferredSettlingTests.purchase(number), at: .end)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await desk.balance() == 0)
            #expect(try await desk.balance(of: .takings) == 1_000)
            #expect(try await desk.balance(of: .shortfall) == -500)
            let journals = try await desk.ledger.journals()
            #expect(journals.map(\.settled) == [10] && journals.map(\.missing) == [0])
            #expect(try await desk.ledger.audit().violations == [])
        }
    }

    private static func purchase(_ number: Int) -> DeferredPurchase {
        DeferredPurchase(
            id: .numbered(100 + number), uid: .first,
            chip: .ntag215, account: 1, sequence: .none, amount: 100, at: .tick(number),
            journal: .numbered(300), number: Int64(number))
    }
}
