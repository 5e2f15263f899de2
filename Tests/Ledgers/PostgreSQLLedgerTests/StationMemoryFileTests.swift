import Ledger
import LedgerConformance
import OperatingSystem
import PostgreSQLLedger
import TapcardDomain
import Testing

/// What a station keeps for the time when it cannot ask its ledger.
@Suite("The file of a station's memory", .serialized) struct StationMemoryFileTests {
    private func temporary(
        _ body: (TestDatabase, _ file: String) async throws -> Void
    ) async throws {
        let file = "/tmp/tapcard-memory-\(UInt64.random(in: 0...UInt64.max))"
        defer { for name in [file, file + ".lock"] { try? DurableFile(name).remove() } }
        try await TestDatabase.temporary { try await body($0, file) }
    }

    private func memory(_ file: String) throws -> StationMemory {
        StationMemory(String(decoding: try DurableFile(file).read() ?? [], as: UTF8.self))
    }

    /// A tap gives up an open payment and begins a fresh record in one transaction.
    @Test("The memory has both operations of a transaction that voids one and begins another")
    func hasAllThatATransactionHasEnded() async throws {
        try await temporary { database, file in
            let ledger = try await PostgreSQLLedger.open(database.address, as: 1, memory: file)
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(100)), id: 2)
            let version = CardVersion(try await till.knownCard())
            _ = try await ledger.end(
                open.operation, as: .voided, resealWith: .numbered(3), version: version,
                sealer: till.sealer, at: .end)
            let memory = try memory(file)
            #expect(memory.notDone.map(\.operation) == [.numbered(2)])
            #expect(memory.open.map(\.operation) == [.numbered(3)])
            #expect(memory.last?.operation == .numbered(3))
            #expect(try DurableFile(file).permissions() == 0o600)
            #expect(try DurableFile(file + ".lock").permissions() == 0o600)
        }
    }

    @Test("The memory has what another station voided, however the station learned of it")
    func hasWhatItWasToldOfAnotherStation() async throws {
        try await temporary { database, file in
            let ledger = try await PostgreSQLLedger.open(database.address, as: 1, memory: file)
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(100)), id: 2)
            let other = LedgerTill(try await database.open(station: 2))
            let version = CardVersion(try await other.knownCard())
            _ = try await other.ledger.voidOpenPayment(on: .first, version: version, at: .end)
            #expect(try memory(file).open.map(\.operation) == [.numbered(2)])
            guard case .voided = try await ledger.confirm(open, at: .end) else {
                Issue.record("it was not given up")
                return
            }
            #expect(try memory(file).open == [])
            #expect(try memory(file).notDone.map(\.operation) == [.numbered(2)])
            // One that was asked for only, in each of the ways in which a till asks.
            let asked: [() async throws -> Void] = [
                { _ = try await ledger.answer(to: .numbered(2)) },
                { _ = try await ledger.earlierOutcome(of: .pay(.cents(100)), .numbered(2)) },
                { _ = try await ledger.earlierOutcome(of: .pay(.cents(1)), .numbered(2)) },
                { _ = try await till.begin(.pay(.cents(100)), id: 2) },
            ]
            for ask in asked {
                try DurableFile(file).remove()
                try await ask()
                #expect(try memory(file).notDone.map(\.operation) == [.numbered(2)])
            }
        }
    }
}
