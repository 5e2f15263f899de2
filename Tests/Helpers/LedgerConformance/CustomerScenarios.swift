import Ledger
import TapcardDomain
import Testing

extension Scenario {
    /// The ledger as the customer page uses it.
    static let customers = [
        Scenario("a card's counter rises, and never falls") { till in
            let customers = CustomerLedger(till.ledger)
            func raise(_ count: UInt32, _ uid: CardUID = .first) async throws -> Bool {
                try await customers.raise(try #require(ReadCounter(count)), of: uid)
            }
            func last(_ uid: CardUID = .first) async throws -> UInt32? {
                try await till.ledger.read { rows throws(LedgerError) in
                    try rows.readCounter(of: uid)?.value
                }
            }
            try await till.complete(.issue(), id: 1)
            try await till.complete(.issue(), id: 2, on: .second)
            #expect(try await last() == nil)
            #expect(try await raise(0))
            #expect(try await !raise(0))
            #expect(try await raise(7))
            #expect(try await !raise(7))
            #expect(try await !raise(6))
            #expect(try await last() == 7)
            #expect(try await last(.second) == nil)
            #expect(try await raise(1, .second))
            #expect(try await raise(ReadCounter.highest))
            #expect(try await !raise(ReadCounter.highest))
            #expect(try await last() == ReadCounter.highest)
            #expect(try await last(.second) == 1)
            #expect(ReadCounter(ReadCounter.highest + 1) == nil)
        },
        Scenario("a counter of a card that is not there is refused") { till in
            let counter = try #require(ReadCounter(1))
            await #expect(throws: LedgerError.self) {
                try await CustomerLedger(till.ledger).raise(counter, of: .first)
            }
            #expect(
                try await CustomerLedger(till.ledger).statement(of: .first, at: .end) == nil)
        },
        Scenario("a counter is kept with its transaction, or not at all") { till in
            try await till.complete(.issue(), id: 1)
            let counter = try #require(ReadCounter(3))
            await #expect(throws: LedgerError.self) {
                try await till.ledger.write { rows throws(LedgerError) in
                    _ = try rows.raise(counter, of: .first)
                    throw LedgerError(.refused, "after all")
                }
            }
            #expect(try await CustomerLedger(till.ledger).raise(counter, of: .first))
        },
        Scenario("a statement has the balance and the latest movements") { till in
            let customers = CustomerLedger(till.ledger)
            try await till.complete(.issue(), id: 1)
            try await till.complete(.pay(.cents(300)), id: 2)
            try await till.complete(.scratch(.numbered(1)), id: 3)
            try await till.complete(.add(.cents(200)), id: 4)
            _ = try await till.open(.pay(.cents(50)), id: 5)
            let statement = try #require(try await customers.statement(of: .first, at: .end))
            #expect(statement.balance == .cents(900) && statement.held == .cents(50))
            #expect(statement.movements.map(\.amount.minorUnits) == [200, -300, 1000])
            #expect(statement.movements.map(\.kind) == [.add, .pay, .issue])
            #expect(statement.movements.map(\.at) == [.tick(4), .tick(2), .tick(1)])
            #expect(statement.status == .active && statement.lastShown == nil)
            // Looking changed nothing.
            #expect(try await customers.statement(of: .first, at: .end) == statement)
        },
        Scenario("a statement is of the card's present holder, and is short") { till in
            let customers = CustomerLedger(till.ledger)
            try await till.complete(.issue(), id: 1)
            for number in 2..<20 { try await till.complete(.pay(.cents(1)), id: number) }
            var statement = try #require(try await customers.statement(of: .first, at: .end))
            #expect(statement.movements.count == CardStatement.maximumMovements)
            try await till.complete(.reissue(), id: 20)
            statement = try #require(try await customers.statement(of: .first, at: .end))
            #expect(statement.movements.map(\.amount.minorUnits) == [500])
            try await till.complete(
                .make(.sample(.replace(lost: .first), balance: 0)), id: 21, on: .second)
            statement = try #require(try await customers.statement(of: .second, at: .end))
            #expect(statement.movements.map(\.kind) == [.replace])
            #expect(statement.movements.map(\.amount.minorUnits) == [500])
            let lost = try #require(try await customers.statement(of: .first, at: .end))
            #expect(lost.status == .replaced && lost.balance == .cents(0))
        },
    ]
}
