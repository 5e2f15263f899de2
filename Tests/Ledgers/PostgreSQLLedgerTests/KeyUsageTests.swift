import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import Testing

/// The uses of keys are known without reading each card.
@Suite("Uses of keys in PostgreSQL", .serialized) struct KeyUsageTests {
    private struct Uses: Hashable, Sendable {
        let uses: [UInt8: KeyUse]
        let used: Set<UInt8>

        init(_ ledger: any LedgerStore) async throws {
            (uses, used) = try await ledger.readWithoutBlocking { rows throws(LedgerError) in
                (try rows.keyUsage(), try rows.usedKeys())
            }
        }
    }

    @Test("The uses of keys are counted as in the ledger in memory")
    func areThoseOfAllCards() async throws {
        try await TestDatabase.temporary { database in
            let (memory, ledger) = (InMemoryLedger(), try await database.open())
            for till in [LedgerTill(memory), LedgerTill(ledger)] {
                for number in 1...14 {
                    let key: UInt8 = number < 12 ? 1 : 3
                    try await till.with(key: key).complete(
                        .issue(1000), id: number, on: .numbered(UInt8(number)))
                }
                try await till.with(key: 2).complete(
                    .pay(.cents(1)), id: 20, on: .numbered(2))
                // What is not on the card yet is no use of the key, and is one of its number.
                _ = try await till.with(key: 4).open(.pay(.cents(1)), id: 21, on: .numbered(3))
                try await till.with(key: 3).complete(.protect(keyID: 5), id: 22, on: .numbered(4))
                try await till.ledger.retire([9], at: .end)
            }
            let expected = try await Uses(memory)
            #expect(expected.used == [1, 2, 3, 4, 5, 9] && expected.uses[1]?.cards == 9)
            #expect(try await Uses(ledger) == expected)
        }
    }

    @Test("The uses of keys are counted even if no card can be read")
    func needNoCard() async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open()
            for number in 1...3 {
                try await LedgerTill(ledger).complete(
                    .issue(), id: number, on: .numbered(UInt8(number)))
            }
            try database.change(
                "SET session_replication_role = replica; UPDATE card SET chip = '?'")
            let uses = try await Uses(ledger)
            #expect(uses.uses[1]?.cards == 3 && uses.used == [1])
            #expect(uses.uses[1]?.first == (1...3).map { .numbered($0) })
        }
    }
}
