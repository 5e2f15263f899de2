import BlockingLane
import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// The server is killed between any two messages of a payment, and started again.
@Suite("A PostgreSQL server that is killed", .serialized) struct KilledServerTests {
    /// The server is killed after a message of the station or after one of its own.
    @Test(
        "A station is told the truth when the server is killed at any message of a payment",
        .checkOnly, arguments: LinkCutter.Direction.allCases)
    func atEachMessage(_ direction: LinkCutter.Direction) async throws {
        var server = try PrivatePostgreSQL()
        defer { server.kill() }
        let address = try server.database("issuer")
        try await PostgreSQLDatabase(address, now: { .tick(0) }).makeLedger(
            in: .usd, partitions: 2)
        let first = try await PostgreSQLLedger.open(address, as: 0)
        try await LedgerTill(first).complete(.issue(90_000_00), id: 1)
        await first.close()
        let ends = try await KilledServerTests.messageEnds(direction, at: server, id: 2)
        var count = WatchedTap.Count()
        let step = Thoroughness.step(11)
        for (round, place) in stride(from: 0, to: ends.count - 1, by: step).enumerated() {
            let cutter = try LinkCutter(to: server.socket)
            defer { cutter.end() }
            let station = try await PostgreSQLLedger.open(cutter.address(of: "issuer"), as: 1)
            let before = try await LedgerTill(station).balance()
            cutter.cut(after: ends[place], direction, .after { [server] in server.kill() })
            let tap = WatchedTap(id: round + 3)
            let told = await tap.pay(at: station)
            server = try server.recovered()
            let ledger = try await PostgreSQLLedger.open(server.address(of: "issuer"), as: 0)
            try await tap.judge(
                told, on: ledger, before: before, &count, "message \(place) \(direction)")
            #expect(try await ledger.audit().violations == [])
            await ledger.close()
        }
        print("server killed, every \(step) of \(ends.count) messages \(direction): \(count)")
        #expect(count.refused > 0, "\(count)")
        #expect(direction == .toServer ? count.notThere > 0 : count.there > 0, "\(count)")
    }

    /// Where each message of an undisturbed payment ends.
    private static func messageEnds(
        _ direction: LinkCutter.Direction, at server: PrivatePostgreSQL, id: Int
    ) async throws -> [Int] {
        let cutter = try LinkCutter(to: server.socket)
        defer { cutter.end() }
        let station = try await PostgreSQLLedger.open(cutter.address(of: "issuer"), as: 1)
        _ = try await LedgerTill(station).balance()
        cutter.cut(after: .max, direction)
        let told = await WatchedTap(id: id).pay(at: station)
        guard case .paid = told else { throw Failure(what: "\(told)") }
        let bytes = cutter.passed(direction)
        await station.close()
        var ends = [0]
        // A letter, and the length of what follows it.
        while let end = ends.last, end + 5 <= bytes.count {
            let length = bytes[end + 1...end + 4].reduce(0) { $0 << 8 | Int($1) }
            ends.append(end + 1 + length)
        }
        return ends
    }

    private struct Failure: Error { let what: String }
}
