import CardCryptography
import CustomerServer
import Ledger
import LedgerConformance
import PostgreSQLLedger
import Tags
import TapcardDomain
import Testing
import WebServer

/// Two servers of the customer page on one database.
@Suite("Customer pages on a PostgreSQL ledger", .serialized) struct CustomerRaceTests {
    @Test("Only one of two servers shows the card for an address, whichever is asked first")
    func showAnAddressOnce() async throws {
        try await TestDatabase.temporary { database in
            try await LedgerTill(try await database.open()).complete(.issue(1000), id: 1)
            let keys = CustomerKeys(of: .fresh(created: "2026-11-25"))
            var servers: [CustomerRoutes] = []
            for station in 1...2 {
                let ledger = CustomerLedger(try await database.open(station: station))
                servers.append(
                    CustomerRoutes(
                        keys: keys, ledger: ledger,
                        clocks: CustomerRoutes.Clocks(now: { .tick(0) }, uptime: { 0 }),
                        watch: CustomerWatch(uptime: { 0 }, say: { _ in })))
            }
            for reads in 1...10 {
                let query = try address(.first, UInt32(reads), keys).query
                let shown = await withTaskGroup(of: Int.self) { group in
                    for server in servers {
                        group.addTask { await CustomerRaceTests.ask(server, query) }
                    }
                    return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
                }
                #expect(shown == [200: 1, 410: 1], "read \(reads)")
            }
            // What one server has shown is used up at the other.
            let query = try address(.first, 11, keys).query
            #expect(await CustomerRaceTests.ask(servers[0], query) == 200)
            #expect(await CustomerRaceTests.ask(servers[1], query) == 410)
            let older = try address(.first, 5, keys).query
            #expect(await CustomerRaceTests.ask(servers[1], older) == 410)
        }
    }

    private func address(
        _ uid: CardUID, _ reads: UInt32, _ keys: CustomerKeys
    ) throws -> TapMessage {
        let identity = try #require(TapIdentity(uid: uid, reads: reads))
        let pair = try #require(keys.pairs.last)
        return TapMessage(
            TapMessage.Content(
                identity: identity, fileData: [UInt8](repeating: 0, count: TapMessage.dataSize)),
            metaKey: pair.meta, fileKey: CustomerKeys.fileKey(of: uid, from: pair.file),
            filling: [1, 2, 3, 4, 5])
    }

    private static func ask(_ routes: CustomerRoutes, _ query: String) async -> Int {
        let type = WebField("Content-Type", "application/x-www-form-urlencoded")
        let request = WebRequest(
            method: "POST", path: TapMessage.path, headers: WebHeaders([type]),
            body: Array(query.utf8), from: "192.0.2.1")
        switch routes.reply(to: request) {
        case .now(let response): return response.status
        case .later(let work): return await work().status
        }
    }
}
