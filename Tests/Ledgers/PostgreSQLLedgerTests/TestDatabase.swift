import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport

/// An empty ledger in a database of its own.
struct TestDatabase {
    let name: String
    let address: String
    /// The server's socket.
    let socket: String

    /// The database that the others are copies of.
    private static let template = Task {
        let address = try PrivatePostgreSQL.shared.get().database("template_ledger")
        try await PostgreSQLDatabase(address, now: { .tick(0) }).makeLedger(
            in: .usd, partitions: 2)
    }

    /// Runs the body on an empty ledger, which is gone afterwards.
    static func temporary(_ body: (TestDatabase) async throws -> Void) async throws {
        let server = try PrivatePostgreSQL.shared.get()
        try await template.value
        let name = "ledger_\(UInt64.random(in: 0...UInt64.max))"
        let address = try server.database(name, copying: "template_ledger")
        defer { try? server.remove(name) }
        let database = TestDatabase(name: name, address: address, socket: server.socket)
        // A copy is another database than the one on which the ledger was opened.
        try await database.owned.reopen(.nothing)
        try await body(database)
    }

    func open(
        _ address: String? = nil, station: Int = 0
    ) async throws -> PostgreSQLLedger {
        try await PostgreSQLLedger.open(
            address ?? self.address, as: station)
    }

    /// The answer of psql to a statement of the owner.
    func answer(to statement: String) throws -> String {
        try PrivatePostgreSQL.shared.get().answer(to: statement, in: name)
    }

    func change(_ statement: String) throws { _ = try answer(to: statement) }

    /// The database as its owner sees it.
    var owned: PostgreSQLDatabase { PostgreSQLDatabase(address, now: { .tick(0) }) }
}
