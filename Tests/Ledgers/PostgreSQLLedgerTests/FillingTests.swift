import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// A ledger that moves into a database is the same ledger there.
@Suite("Copying a ledger into PostgreSQL", .serialized) struct FillingTests {
    @Test(
        "A copy equals its source, goes on like it, and is made only once",
        arguments: Thoroughness.some([3, 20_261] as [UInt64], of: 2))
    func isLikeItsSource(seed: UInt64) async throws {
        let memory = InMemoryLedger()
        var stations = RandomStations(seed: seed)
        for _ in 0..<(Thoroughness.asked > .usual ? 2000 : 400) {
            let step = try await stations.next { uid in try await memory.knownCard(of: uid) }
            stations.note(try await step.take(on: memory), to: step)
        }
        try await FillingTests.inEmptyDatabase { address in
            let database = PostgreSQLDatabase(address, now: { .tick(0) })
            let filled = try await database.fill(from: memory, origin: "it", partitions: 2)
            #expect(!filled.wasAlreadyCopied && filled.operations > 0)
            let ledger = try await PostgreSQLLedger.open(address, as: 1)
            try await FillingTests.expectEqual(ledger, memory)
            // The copy goes on where its source has ended.
            for _ in 0..<100 {
                let step = try await stations.next { uid in try await memory.knownCard(of: uid) }
                let expected = try await step.take(on: memory)
                try #require(try await step.take(on: ledger) == expected, "\(step)")
                stations.note(expected, to: step)
            }
            try await FillingTests.expectEqual(ledger, memory)
            #expect(try await ledger.audit().violations == [])
            let again = try await database.fill(from: memory, origin: "it", partitions: 2)
            #expect(again.wasAlreadyCopied)
            let other = await #expect(throws: LedgerError.self) {
                _ = try await database.fill(from: memory, origin: "another", partitions: 2)
            }
            #expect(other?.kind == .refused)
        }
    }

    @Test("A copy that was cut off is complete or not there at all")
    func isWholeOrNotThere() async throws {
        let memory = InMemoryLedger()
        let till = LedgerTill(memory)
        for number in 1...3 {
            try await till.complete(.issue(1000), id: number, on: .numbered(UInt8(number)))
        }
        let server = try PrivatePostgreSQL.shared.get()
        try await FillingTests.inEmptyDatabase { address in
            let name = try #require(address.firstMatch(of: /filled_\d+/)?.output)
            let database = PostgreSQLDatabase(address, now: { .tick(0) })
            var cuts = 0
            for bytes in stride(from: 0, to: 60_000, by: Thoroughness.asked > .usual ? 997 : 9_973)
            {
                let cutter = try LinkCutter(to: server.socket)
                defer { cutter.end() }
                cutter.cut(after: bytes, .toServer)
                let cut = PostgreSQLDatabase(cutter.address(of: String(name)), now: { .tick(0) })
                do {
                    _ = try await cut.fill(from: memory, origin: "it", partitions: 1)
                    break
                } catch {
                    cuts += 1
                    let tables = try server.answer(
                        to: "SELECT count(*) FROM pg_tables WHERE tablename = 'card'",
                        in: String(name))
                    if tables != "0" {
                        #expect(
                            try await database.fill(from: memory, origin: "it", partitions: 1)
                                .wasAlreadyCopied)
                    }
                }
            }
            #expect(cuts > 2)
            _ = try await database.fill(from: memory, origin: "it", partitions: 1)
            let ledger = try await PostgreSQLLedger.open(address, as: 1)
            try await FillingTests.expectEqual(ledger, memory)
        }
    }

    /// The order of entries is kept within an operation.
    private static func expectEqual(
        _ ledger: any LedgerStore, _ other: any LedgerStore
    ) async throws {
        let (copy, source) = (try await Snapshot(of: ledger), try await Snapshot(of: other))
        #expect(copy.cards == source.cards)
        #expect(copy.operations == source.operations)
        #expect(copy.balances == source.balances)
        #expect(copy.records == source.records)
        #expect(copy.gaps == source.gaps)
        #expect(copy.tickets == source.tickets)
        #expect(copy.activations == source.activations)
        #expect(copy.retiredKeys == source.retiredKeys)
        for operation in source.operations {
            let its = { (entry: Entry) in entry.operation == operation.id }
            #expect(copy.entries.filter(its) == source.entries.filter(its))
        }
        #expect(copy.entries.count == source.entries.count)
    }

    private static func inEmptyDatabase(_ body: (String) async throws -> Void) async throws {
        let server = try PrivatePostgreSQL.shared.get()
        let name = "filled_\(UInt32.random(in: 0...UInt32.max))"
        let address = try server.database(name)
        defer { try? server.remove(name) }
        try await body(address)
    }
}
