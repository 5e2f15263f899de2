import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// A station's login carries out what a station does, and nothing else.
@Suite("Rights of a station in PostgreSQL", .serialized) struct StationRightsTests {
    @Test("A station's login can do everything that a till does")
    func sufficeForEverythingAtTheTill() async throws {
        try await StationRightsTests.registered { database, login in
            let ledger = try await PostgreSQLLedger.open(login.address, as: nil)
            let memory = InMemoryLedger()
            var stations = RandomStations(seed: 17)
            for _ in 0..<200 {
                let step = try await stations.next { uid in try await memory.knownCard(of: uid) }
                // Only the owner retires a key.
                if case .retire = step { continue }
                let expected = try await step.take(on: memory)
                try #require(try await step.take(on: ledger) == expected, "\(step)")
                stations.note(expected, to: step)
            }
            #expect(try await ledger.audit().violations == [])
            let issuers = try database.answer(to: "SELECT DISTINCT station FROM house")
            #expect(issuers == "\(login.number)")
            #expect(try await database.owned.stations().first?.seenAt != nil)
        }
    }

    @Test(
        "A station's login is denied statements that a till does not need",
        arguments: [
            "DELETE FROM entry", "TRUNCATE entry", "UPDATE entry SET amount = 1",
            "UPDATE operation SET amount = 1", "UPDATE issued_record SET bytes = ''",
            "UPDATE card SET uid = 1", "DELETE FROM card", "DELETE FROM operation_0",
            "UPDATE setting SET currency = 'EUR'", "UPDATE opening SET server = 'x'",
            "INSERT INTO opening SELECT number + 1, server, epoch, skipped, 0, '' FROM opening",
            "INSERT INTO station (id, login, registered_at) VALUES (9, 'x', 0)",
            "UPDATE station SET revoked_at = NULL", "INSERT INTO retired_key VALUES (1, 1, 1)",
            "DELETE FROM retired_key", "CREATE TABLE mine (a int)", "DROP TABLE gap",
            "ALTER TABLE card DROP balance", "CREATE ROLE other",
            "CREATE SCHEMA mine", "UPDATE journal SET written_off_at = 0",
            "DELETE FROM read_counter", "UPDATE read_counter SET uid = 1",
        ])
    func doNotSufficeFor(_ statement: String) async throws {
        try await StationRightsTests.registered { database, login in
            let words = #expect(throws: PrivatePostgreSQL.Failure.self) {
                try PrivatePostgreSQL.shared.get().answer(
                    to: statement, in: database.name, as: login.name, password: login.password)
            }
            let said = words?.description ?? ""
            #expect(said.contains("permission denied") || said.contains("must be owner"), "\(said)")
        }
    }

    @Test("The login of the customer page shows balances and moves no money")
    func areFewerWhereCustomersLook() async throws {
        try await StationRightsTests.registered { database, till in
            let server = try PrivatePostgreSQL.shared.get()
            let role = try database.answer(to: "SELECT roles || 'customers' FROM setting")
            let name = "web_\(UInt32.random(in: 0...UInt32.max))"
            try database.change(
                "CREATE ROLE \(name) LOGIN PASSWORD 'web' IN ROLE \"\(role)\"")
            defer { try? database.change("DROP ROLE \(name)") }
            try await LedgerTill(try await PostgreSQLLedger.open(till.address, as: nil)).complete(
                .issue(1000), id: 1)
            let ledger = try await PostgreSQLLedger.open(
                server.address(of: database.name, as: name, password: "web"), as: nil)
            try await ledger.requireWritable()
            let customers = CustomerLedger(ledger)
            let counter = try #require(ReadCounter(5))
            #expect(try await customers.raise(counter, of: .first))
            #expect(try await !customers.raise(counter, of: .first))
            #expect(try await customers.statement(of: .first, at: .end)?.balance == .cents(1000))
            await #expect(throws: LedgerError.self) {
                try await LedgerTill(ledger).complete(.pay(.cents(1)), id: 2)
            }
            for statement in [
                "UPDATE card SET balance = balance + 1", "UPDATE read_counter SET uid = 1",
                "INSERT INTO house VALUES ('cash', 9, 0, 1)", "DELETE FROM read_counter",
                "UPDATE operation SET state = 'voided'", "INSERT INTO code VALUES (NULL)",
                "UPDATE station SET seen_at = 1", "UPDATE setting SET currency = 'EUR'",
            ] {
                let words = #expect(throws: PrivatePostgreSQL.Failure.self) {
                    try server.answer(
                        to: statement, in: database.name, as: name, password: "web")
                }
                #expect(words?.description.contains("permission denied") == true, "\(statement)")
            }
            #expect(try await ledger.audit().violations == [])
        }
    }

    @Test("A station's login opens no other database and creates no temporary table")
    func endAtTheDatabase() async throws {
        let server = try PrivatePostgreSQL.shared.get()
        let names = (0..<2).map { _ in "own_\(UInt32.random(in: 0...UInt32.max))" }
        defer { for name in names { try? server.remove(name) } }
        // An owner with no other right than docs/SERVERS.md gives.
        let owner = names[0] + "_owner"
        _ = try server.answer(
            to: "CREATE ROLE \(owner) LOGIN CREATEROLE PASSWORD 'own'", in: "postgres")
        for name in names {
            _ = try server.database(name)
            _ = try server.answer(to: "ALTER DATABASE \(name) OWNER TO \(owner)", in: name)
            let address = server.address(of: name, as: owner, password: "own")
            try await PostgreSQLDatabase(address, now: { .tick(0) })
                .makeLedger(in: .usd, partitions: 1)
        }
        let owned = PostgreSQLDatabase(
            server.address(of: names[0], as: owner, password: "own"), now: { .tick(0) })
        let name = try #require(StationName("\(names[0])_till"))
        _ = try await owned.register(name, password: "secret")
        try await owned.reopen(.something)
        #expect(try await owned.status().epoch == 2)
        let other = try #require(StationName("\(names[0])_other"))
        _ = try await owned.register(other, password: "secret")
        let session = try server.session(in: names[0], as: other.text, password: "secret")
        _ = try session.answer(to: "BEGIN; UPDATE station SET seen_at = 1")
        try await owned.revoke(other)
        #expect(try await owned.stations().last?.revokedAt != nil)
        for (database, statement) in [
            (names[0], "CREATE TEMPORARY TABLE mine (a int)"), (names[1], "SELECT 1"),
        ] {
            let words = #expect(throws: PrivatePostgreSQL.Failure.self) {
                try server.answer(
                    to: statement, in: database, as: name.text, password: "secret")
            }
            #expect(words?.description.contains("permission denied") == true)
        }
    }

    @Test("A revoked station can neither read nor pay, and its name stays used")
    func endWithItsRegistration() async throws {
        try await StationRightsTests.registered { database, login in
            let ledger = try await PostgreSQLLedger.open(login.address, as: nil)
            let till = LedgerTill(ledger)
            try await till.complete(.issue(1000), id: 1)
            let name = try #require(StationName(login.name))
            // Somebody who has the machine needs none of the program's own checks.
            let socket = try PrivatePostgreSQL.shared.get()
            let session = try socket.session(
                in: database.name, as: login.name, password: login.password)
            let change = "UPDATE card SET version = version + 1"
            #expect(try session.answer(to: change) == "UPDATE 1")
            try await database.owned.revoke(name)
            let sessions = "SELECT count(*) FROM pg_stat_activity WHERE usename = '\(login.name)'"
            #expect(try database.answer(to: sessions) == "0")
            #expect(throws: PrivatePostgreSQL.Failure.self) {
                try socket.answer(
                    to: "SELECT 1", in: database.name, as: login.name, password: login.password)
            }
            for _ in 0..<2 {
                let error = await #expect(throws: LedgerError.self) {
                    try await till.complete(.pay(.cents(1)), id: 2)
                }
                #expect(error?.kind == .unavailable)
            }
            await #expect(throws: LedgerError.self) { _ = try await till.knownCard() }
            #expect(try await database.owned.stations().first?.revokedAt != nil)
            await #expect(throws: LedgerError.self) {
                _ = try await database.owned.register(name, password: "again")
            }
        }
    }

    /// An administrator has already removed the role or the login.
    @Test(
        "A station can be revoked even if its role or its login is gone",
        arguments: ["REVOKE ROLE_OF_STATIONS FROM", "DROP ROLE"])
    func endWithoutRoleOrLogin(_ removal: String) async throws {
        try await StationRightsTests.registered { database, login in
            let role = try database.answer(to: "SELECT roles || 'station' FROM setting")
            let name = try #require(StationName(login.name))
            try database.change(
                removal.replacing("ROLE_OF_STATIONS", with: role) + " \"\(name)\"")
            try await database.owned.revoke(name)
            #expect(try await database.owned.stations().first?.revokedAt != nil)
        }
    }

    @Test("A station with a wrong password is refused")
    func needThePassword() async throws {
        try await StationRightsTests.registered { database, login in
            let server = try PrivatePostgreSQL.shared.get()
            let address = server.address(of: database.name, as: login.name, password: "wrong")
            let error = await #expect(throws: LedgerError.self) {
                _ = try await PostgreSQLLedger.open(address, as: nil)
            }
            #expect(error?.kind == .unavailable && error?.detail.contains("password") == true)
        }
    }

    struct Login {
        let name: String
        let password: String
        let number: Int
        let address: String
    }

    static func registered(
        _ body: (TestDatabase, Login) async throws -> Void
    ) async throws {
        try await TestDatabase.temporary { database in
            let server = try PrivatePostgreSQL.shared.get()
            // Logins belong to the whole server.
            let name = "till-\(UInt32.random(in: 0...UInt32.max))"
            let password = "a-password-\(UInt64.random(in: 0...UInt64.max))"
            let number = try await database.owned.register(
                try #require(StationName(name)), password: password)
            let address = server.address(of: database.name, as: name, password: password)
            try await body(
                database, Login(name: name, password: password, number: number, address: address))
        }
    }
}
