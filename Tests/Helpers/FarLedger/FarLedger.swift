import BlockingLane
package import FaultyWorld
package import Ledger
import PortDoubles
import PostgreSQLLedger
import TapcardDomain
import TestSupport

/// A ledger in memory that was copied into a database of the tests' own server, with connected
/// stations. The rows can be restored.
package final class FarLedger: Sendable {
    private let name: String
    private let address: String
    private let session: PrivatePostgreSQL.Session
    private let resets = Guarded(0)

    /// The tables, children first.
    private static let tables = [
        "prize", "ticket_name", "ticket", "activation", "code", "gap", "issued_record", "entry",
        "reversal", "request_id", "operation", "house", "retired_key", "card",
    ]

    package init(holding tables: LedgerTables) async throws {
        let server = try PrivatePostgreSQL.shared.get()
        name = "far_\(UInt64.random(in: 0...UInt64.max))"
        address = try server.database(name)
        _ = try await PostgreSQLDatabase(address, now: { Timestamp(milliseconds: 0) }).fill(
            from: TableLedger(tables), origin: "memory", partitions: 1)
        session = try server.session(in: name, as: "tapcard", password: "")
        // The owner's work on the rows; the constraints are those of the stations' own.
        _ = try session.answer(to: "SET session_replication_role = replica")
        for table in FarLedger.tables {
            _ = try session.answer(to: "CREATE TABLE saved_\(table) AS TABLE \(table)")
        }
    }

    /// This many stations, each with its own connection.
    package func twin(stations: Int) -> LedgerTwin {
        let address = address
        return LedgerTwin(stations: stations) { station in
            try await PostgreSQLLedger.open(address, as: station + 1)
        }
    }

    /// Restores the rows. No version of a card occurs twice, so no station takes a row for one that
    /// it knows.
    package func reset() throws {
        let count = resets.withLock { count in
            count += 1
            return count
        }
        let statements =
            ["BEGIN"] + FarLedger.tables.map { "DELETE FROM \($0)" }
            + FarLedger.tables.reversed().map { "INSERT INTO \($0) TABLE saved_\($0)" }
            + ["UPDATE card SET version = version + \(count * 1_000)", "COMMIT"]
        let answer = try session.answer(to: statements.joined(separator: "; "))
        guard answer.hasSuffix("COMMIT") else { throw Failure(words: answer) }
        if count.isMultiple(of: 200) { _ = try session.answer(to: "VACUUM ANALYZE") }
    }

    private struct Failure: Error { let words: String }

    /// Removes the database; connected stations lose it.
    package func remove() throws { try PrivatePostgreSQL.shared.get().remove(name) }

    package func audit() async throws -> [String] {
        try await PostgreSQLLedger.open(address, as: 0).audit().violations
    }
}
