import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// The tills of one server are one station with several connections, and so are several processes
/// with one login.
@Suite("Two connections of one station") struct IssuerPartTests {
    /// Another process counts its connections from the start again.
    @Test("A process does not wait for the commit of another process of its station")
    func ofTwoProcesses() async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open(station: 1)
            try await LedgerTill(ledger).complete(.issue(1000), id: 1)
            try await LedgerTill(ledger).complete(.pay(.cents(5)), id: 2)
            await ledger.close()
            let commit = try PrivatePostgreSQL.shared.get().session(
                in: database.name, as: "tapcard", password: "")
            _ = try commit.answer(to: "BEGIN; UPDATE house SET balance = balance")
            let till = LedgerTill(try await database.open(station: 1))
            try await till.complete(.pay(.cents(5)), id: 3)
            let parts = "SELECT count(*) FROM house WHERE account = 'takings'"
            #expect(try database.answer(to: parts) == "2")
            _ = try commit.answer(to: "ROLLBACK")
            // One that is free is taken again.
            try await till.complete(.pay(.cents(5)), id: 4)
            #expect(try database.answer(to: parts) == "2")
            #expect(try await till.balance(of: .takings) == 15)
        }
    }

    @Test("Two connections of one station do not wait for each other's commit")
    func apart() async throws {
        try await TestDatabase.temporary { database in
            let ledgers = [
                try await database.open(station: 1), try await database.open(station: 1),
            ]
            let (first, second) = (LedgerTill(ledgers[0]), LedgerTill(ledgers[1]))
            let uid = try #require(CardUID(bytes: [4, 9, 9, 9, 9, 9, 9]))
            try await first.complete(.issue(1000), id: 1)
            // A commit of the first that has not ended holds the rows that it adds to.
            let commit = try PrivatePostgreSQL.shared.get().session(
                in: database.name, as: "tapcard", password: "")
            _ = try commit.answer(to: "BEGIN")
            _ = try commit.answer(to: "UPDATE house SET balance = balance")
            try await second.complete(.issue(500), id: 2, on: uid)
            _ = try commit.answer(to: "ROLLBACK")
            try await first.complete(.add(.cents(5)), id: 3)
            for ledger in ledgers {
                let balance = try await ledger.read { rows throws(LedgerError) in
                    try rows.balance(of: .cash)
                }
                #expect(balance == -1505)
            }
            #expect(try await ledgers[0].audit().violations == [])
        }
    }
}
