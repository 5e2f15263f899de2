import Glibc
import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// What the server tells of itself to a login with that right and to one without it.
@Suite("The state of a database", .serialized) struct DatabaseStatusTests {
    @Test("The state has each replica and its lag, but only for a login that may see them")
    func namesReplicasAsTheyAre() async throws {
        let primary = try PrivatePostgreSQL()
        defer { primary.kill() }
        let owned = PostgreSQLDatabase(try primary.database("issuer"), now: { .tick(0) })
        try await owned.makeLedger(in: .usd, partitions: 1)
        let alone = try await owned.status()
        #expect(alone.replicas == [] && alone.synchronousReplicas.isEmpty)
        #expect(alone.link == .local)

        let replica = try PrivatePostgreSQL(copying: primary)
        defer { replica.kill() }
        let streaming = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
        while try primary.answer(to: streaming, in: "postgres") == "0" { usleep(10_000) }
        let connected = try #require(try await owned.status().replicas?.first)
        #expect(connected.state == "streaming" && connected.synchrony == "async")
        #expect(!connected.isSynchronous)

        try primary.waitForReplica()
        let inStep = try #require(try await owned.status().replicas?.first)
        #expect(inStep.isSynchronous && inStep.lag != nil)

        let name = try #require(StationName("till"))
        _ = try await owned.register(name, password: "secret")
        let address = primary.address(of: "issuer", as: "till", password: "secret")
        let status = try await PostgreSQLDatabase(address, now: { .tick(0) }).status()
        #expect(
            status.replicas == nil && status.synchronousReplicas == "*" && status.login == "till"
        )
        let ledger = try await PostgreSQLLedger.open(address, as: nil)
        let told = try await ledger.databaseStatus(at: .tick(0))
        #expect(told?.replicas == nil && told?.isOpen == true && told?.openOperations == 0)
        _ = try primary.answer(to: "GRANT pg_monitor TO till", in: "issuer")
        #expect(try await ledger.databaseStatus(at: .tick(0))?.replicas?.count == 1)
    }

    /// A commit says nothing while it waits, so the state names the replica that is missing.
    @Test("The state names a missing replica that commits would wait for")
    func tellsWhichReplicaIsWaitedFor() async throws {
        let server = try PrivatePostgreSQL()
        defer { server.kill() }
        let owned = PostgreSQLDatabase(try server.database("issuer"), now: { .tick(0) })
        try await owned.makeLedger(in: .usd, partitions: 1)
        let name = try #require(StationName("till"))
        _ = try await owned.register(name, password: "secret")
        #expect(try await owned.missingReplicas() == nil)
        for statement in [
            "ALTER SYSTEM SET synchronous_standby_names = 'two'", "SELECT pg_reload_conf()",
        ] { _ = try server.answer(to: statement, in: "issuer") }
        let set = "SHOW synchronous_standby_names"
        while try server.answer(to: set, in: "issuer") != "two" { usleep(10_000) }
        let till = PostgreSQLDatabase(
            server.address(of: "issuer", as: "till", password: "secret"), now: { .tick(0) })
        for database in [owned, till] {
            #expect(try await database.missingReplicas() == "two")
            let status = try await database.status()
            #expect(status.isOpen && status.synchronousReplicas == "two")
        }
    }
}
