import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import Testing

/// A journal that several stations book at once, as with copies of it.
@Suite("Offline payments in PostgreSQL", .serialized) struct OfflineBookingTests {
    @Test("Offline payments that four stations book at once are booked once")
    func areBookedOnceByStationsAtTheSameTime() async throws {
        try await TestDatabase.temporary { database in
            let till = LedgerTill(try await database.open())
            try await till.complete(.issue(500), id: 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for station in 1...4 {
                    let ledger = try await database.open(station: station)
                    group.addTask {
                        for number in 1...10 {
                            _ = try await ledger.book(
                                OfflineBookingTests.payment(number), at: .end)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await till.balance() == 0)
            #expect(try await till.balance(of: .takings) == 1_000)
            #expect(try await till.balance(of: .shortfall) == -500)
            let journals = try await till.ledger.journals()
            #expect(journals.map(\.booked) == [10] && journals.map(\.missing) == [0])
            #expect(try await till.ledger.audit().violations == [])
        }
    }

    private static func payment(_ number: Int) -> OfflinePayment {
        OfflinePayment(
            id: .numbered(100 + number), uid: .first,
            chip: .ntag215, account: 1, sequence: .none, amount: 100, at: .tick(number),
            journal: .numbered(300), number: Int64(number))
    }
}
