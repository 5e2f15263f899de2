import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import Testing

/// The uses of keys are known without a look at each card.
@Suite("The uses of keys in PostgreSQL", .serialized) struct UsesOfKeysTests {
    private struct Uses: Hashable, Sendable {
        let uses: [UInt8: KeyUse]
        let used: Set<UInt8>

        /// `key` is that of a record that was stored without it.
        init(_ ledger: any LedgerStore, without key: UInt8? = nil) async throws {
            (uses, used) = try await ledger.readAtLength { rows throws(LedgerError) in
                (try rows.usesOfKeys { _ in key }, try rows.usedKeys { _ in key })
            }
        }
    }

    @Test func areThoseOfAllCards() async throws {
        try await TestDatabase.temporary { database in
            let (memory, ledger) = (InMemoryLedger(), try await database.open())
            for desk in [Desk(memory), Desk(ledger)] {
                for number in 1...14 {
                    let key: UInt8 = number < 12 ? 1 : 3
                    try await desk.with(key: key).complete(
                        .issue(1000), id: number, on: .numbered(UInt8(number)))
                }
                try await desk.with(key: 2).complete(
                    .pay(.cents(1)), id: 20, on: .numbered(2))
                // What is not on the card yet is no use of the key, and is one of its number.
                _ = try await desk.with(key: 4).work(.pay(.cents(1)), id: 21, on: .numbered(3))
                try await desk.with(key: 3).complete(.protect(keyID: 5), id: 22, on: .numbered(4))
                try await desk.ledger.retire([9], at: .end)
            }
            let expected = try await Uses(memory)
            #expect(expected.used == [1, 2, 3, 4, 5, 9] && expected.uses[1]?.cards == 9)
            #expect(try await Uses(ledger) == expected)
            // As records of a ledger from before version 8 of the files are stored.
            try database.change(
                """
                SET session_replication_role = replica;
                UPDATE issued_record SET key_id = NULL WHERE key_id = 1;
                UPDATE card SET sealed_by = NULL WHERE sealed_by = 1
                """)
            #expect(try await Uses(ledger, without: 1) == expected)
        }
    }

    /// A row that cannot be read does not keep anybody from another key.
    @Test func needNoCard() async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open()
            for number in 1...3 {
                try await Desk(ledger).complete(
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
