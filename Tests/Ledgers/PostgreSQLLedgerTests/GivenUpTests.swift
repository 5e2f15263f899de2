import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// A transaction that the station has given up is never carried out later.
@Suite("A transaction that was given up", .serialized) struct GivenUpTests {
    /// Another program holds the table for longer than the station waits.
    @Test("A transaction that the station gave up is not carried out later")
    func isNotCarriedOutLater() async throws {
        try await TestDatabase.temporary { database in
            // Longer than a busy machine needs for what nobody disturbs.
            let timeouts = ResponseTimeouts(
                reading: .seconds(8), committing: .seconds(8), isForTill: true)
            let ledger = try await PostgreSQLLedger.open(
                database.address, as: 1, timeouts: timeouts)
            let till = LedgerTill(ledger)
            try await till.complete(.issue(1000), id: 1)
            let server = try PrivatePostgreSQL.shared.get()
            let other = try server.session(in: database.name, as: "tapcard", password: "")
            _ = try other.answer(to: "BEGIN")
            _ = try other.answer(to: "LOCK TABLE issued_record IN SHARE MODE")
            let error = await #expect(throws: LedgerError.self) {
                _ = try await till.begin(.add(.cents(2000)), id: 2)
            }
            let known = try await ledger.operation(.numbered(2))
            #expect(error?.kind == .locked && known == nil, "\(error?.detail ?? "")")
            _ = try other.answer(to: "ROLLBACK")
            _ = try other.answer(to: "SELECT pg_sleep(1)")
            #expect(try await ledger.operation(.numbered(2)) == nil)
            #expect(try await till.balance() == 1000)
            try await till.complete(.add(.cents(5)), id: 3)
        }
    }

    /// The link holds the whole transaction back until the station has given it up.
    @Test("A transaction that reaches the server after its deadline is not carried out")
    func isRefusedAfterItsDeadline() async throws {
        try await TestDatabase.temporary { database in
            let cutter = try LinkCutter(to: database.socket)
            defer { cutter.end() }
            let ledger = try await PostgreSQLLedger.open(
                cutter.address(of: database.name), as: 1,
                timeouts: ResponseTimeouts(reading: .seconds(4), committing: .seconds(4)))
            let till = LedgerTill(ledger)
            try await till.complete(.issue(1000), id: 1)
            let version = CardVersion(try await till.knownCard())
            cutter.cut(after: 0, .toServer, .pause)
            await #expect(throws: LedgerError.self) {
                _ = try await till.begin(.add(.cents(2000)), id: 2, version: version)
            }
            #expect(try await ledger.operation(.numbered(2)) == nil)
            await ledger.close()
            cutter.release()
            // The server has then read the transaction to its end.
            let sessions = """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'tapcard'
                """
            while try database.answer(to: sessions) != "0" {}
            let again = LedgerTill(try await database.open())
            #expect(cutter.hasPaused)
            #expect(try await again.ledger.operation(.numbered(2)) == nil)
            #expect(try await again.balance() == 1000)
        }
    }

    @Test("A commit waits for the disk even if the server is set not to wait")
    func waitsForTheDiskWhateverIsSet() async throws {
        let server = try PrivatePostgreSQL()
        defer { server.kill() }
        let address = try server.database("issuer")
        try await PostgreSQLDatabase(address, now: { .tick(0) }).makeLedger(
            in: .usd, partitions: 1)
        for setting in ["synchronous_commit = off", "wal_writer_delay = '10s'"] {
            _ = try server.answer(to: "ALTER SYSTEM SET \(setting)", in: "issuer")
        }
        _ = try server.answer(to: "SELECT pg_reload_conf()", in: "issuer")
        let ledger = try await PostgreSQLLedger.open(address, as: 1)
        let before = try server.answer(to: "SELECT pg_current_wal_insert_lsn()", in: "issuer")
        try await LedgerTill(ledger).complete(.issue(), id: 1)
        let isOnDisk = "SELECT pg_current_wal_flush_lsn() > '\(before)'"
        #expect(try server.answer(to: isOnDisk, in: "issuer") == "t")
    }
}
