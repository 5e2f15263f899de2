import PostgreSQLLedger
import PrivatePostgreSQL
import TapcardDomain

/// An empty ledger in a database of its own.
struct TestDatabase {
    let name: String
    let address: String
    /// The server's socket.
    let socket: String

    /// The database that the others are copies of.
    private static let template = Task {
        let address = try PrivatePostgreSQL.shared.get().database("template_ledger")
        try await PostgreSQLLedger.make(in: address, currency: .usd, partitions: 2)
    }

    /// Runs the body on an empty ledger, which is gone afterwards.
    static func temporary(_ body: (TestDatabase) async throws -> Void) async throws {
        let server = try PrivatePostgreSQL.shared.get()
        try await template.value
        let name = "ledger_\(UInt64.random(in: 0...UInt64.max))"
        let address = try server.database(name, copying: "template_ledger")
        defer { try? server.remove(name) }
        try await body(TestDatabase(name: name, address: address, socket: server.socket))
    }

    func open(
        _ address: String? = nil, station: Int = 0, answerLimit: Duration = .seconds(60)
    ) async throws -> PostgreSQLLedger {
        try await PostgreSQLLedger.open(
            address ?? self.address, station: station, answerLimit: answerLimit)
    }
}
