import Foundation
import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// Somebody uses a station's login with a program other than tapcard.
@Suite("A stolen station", .serialized) struct StolenStationTests {
    static func stolen(
        _ body: (TestDatabase, StationRightsTests.Login, PrivatePostgreSQL.Session) async throws ->
            Void
    ) async throws {
        try await StationRightsTests.registered { database, login in
            let session = try PrivatePostgreSQL.shared.get().session(
                in: database.name, as: login.name, password: login.password)
            try await body(database, login, session)
        }
    }

    @Test("A stolen station writes only ids of keys, and only into its own row")
    func damagesNoRowOfAStation() async throws {
        try await Self.stolen { database, login, session in
            let refused = try session.answer(to: "UPDATE station SET keys = repeat('1 ', 50000)")
            #expect(refused.contains("keys_are_ids"), "\(refused)")
            let other = try #require(StationName("\(database.name)_other"))
            _ = try await database.owned.register(other, password: "secret")
            #expect(try session.answer(to: "UPDATE station SET keys = ''") == "UPDATE 1")
            let others = "SELECT count(*) FROM station WHERE keys IS NOT NULL"
            #expect(try database.answer(to: others) == "1")
        }
    }

    @Test(
        "A station with invalid times is reported as damaged until it is revoked",
        arguments: ["seen_at", "keys_at"])
    func isNamedWhereItsTimesAreNone(_ column: String) async throws {
        try await Self.stolen { database, login, session in
            let written = try session.answer(
                to: "UPDATE station SET \(column) = 9223372036854775807")
            #expect(written == "UPDATE 1")
            let station = try #require(try await database.owned.stations().first)
            #expect(station.isDamaged && station.seenAt == nil && station.keysAt == nil)
            #expect(try await database.owned.status().keys.stations == [station])
            try await database.owned.revoke(try #require(StationName(login.name)))
            #expect(try await database.owned.stations().first?.isDamaged == false)
        }
    }

    /// It holds locks on its own row and on a card.
    @Test("A stolen station that holds locks cannot delay its revocation")
    func cannotHoldOffItsRevocation() async throws {
        try await Self.stolen { database, login, session in
            let till = LedgerTill(try await database.open())
            try await till.complete(.issue(1000), id: 1)
            _ = try session.answer(to: "BEGIN")
            #expect(try session.answer(to: "UPDATE station SET seen_at = 1") == "UPDATE 1")
            let held = try session.answer(to: "UPDATE card SET version = version + 1")
            #expect(held == "UPDATE 1")
            try await database.owned.revoke(try #require(StationName(login.name)))
            try await till.complete(.pay(.cents(1)), id: 2)
        }
    }

    @Test("Revoking a stolen station removes the keys that it added")
    func leavesNoKeyBehind() async throws {
        try await Self.stolen { database, login, session in
            let keys = StationKeys(marks: [1: "first"], usable: [1], sealing: 1)
            _ = try await database.open().otherKeys(than: keys)
            let taken = try session.answer(
                to: "INSERT INTO key_mark (id, mark) SELECT n, 'x' FROM generate_series(2, 15) AS n"
            )
            #expect(taken == "INSERT 0 14")
            await #expect(throws: LedgerError.self) {
                try await database.owned.announce(2, mark: "second")
            }
            try await database.owned.revoke(try #require(StationName(login.name)))
            try await database.owned.announce(2, mark: "second")
            #expect(try await database.owned.status().keys.marks == [1: "first", 2: "second"])
        }
    }

    /// An administrator has removed the login before the revocation.
    @Test("Revoking a station whose login is gone removes its keys, too")
    func leavesNoKeyBehindWithoutItsLogin() async throws {
        try await Self.stolen { database, login, session in
            let taken = try session.answer(to: "INSERT INTO key_mark (id, mark) VALUES (2, 'x')")
            #expect(taken == "INSERT 0 1")
            #expect(try session.answer(to: "UPDATE station SET keys = '3'") == "UPDATE 1")
            try database.change("ALTER ROLE \"\(login.name)\" RENAME TO \"\(login.name)_gone\"")
            try await database.owned.revoke(try #require(StationName(login.name)))
            #expect(try database.answer(to: "SELECT count(*) FROM key_mark") == "0")
            #expect(try database.answer(to: "SELECT keys IS NULL FROM station") == "t")
        }
    }

    @Test("A station's login may take at most half of the server's connections")
    func leavesConnectionsToTheOthers() async throws {
        try await Self.stolen { database, login, _ in
            let leaves = try database.answer(
                to: """
                    SELECT rolconnlimit BETWEEN 20 AND current_setting('max_connections')::int / 2
                    FROM pg_roles WHERE rolname = '\(login.name)'
                    """)
            #expect(leaves == "t")
        }
    }

    @Test(
        "A stolen station cannot rewrite what was done, and other cards still pay",
        arguments: [
            (
                "UPDATE operation SET state = 'pending', ended_at = NULL WHERE state = 'voided'",
                "ended"
            ),
            ("UPDATE operation SET sequence = sequence + 1 WHERE state = 'committed'", "ended"),
            ("UPDATE operation SET balance_after = 0 WHERE state = 'committed'", "ended"),
            ("UPDATE operation SET state = 'voided' WHERE state = 'committed'", "ended"),
            ("UPDATE operation SET parameters = 'x'", "parameters cannot be changed"),
            ("UPDATE operation SET parameters = 'name'", "parameters cannot be changed"),
            (
                "INSERT INTO issued_record SELECT uid, allocated + 1, repeat('a', 16)::bytea, "
                    + "(SELECT id FROM operation LIMIT 1), 1 FROM card", "under key"
            ),
            (
                "WITH more AS (UPDATE card SET allocated = allocated + 1, version = version + 1 "
                    + "RETURNING uid, allocated) "
                    + "INSERT INTO issued_record SELECT uid, allocated, repeat('a', 16)::bytea, "
                    + "(SELECT id FROM operation LIMIT 1), 9 FROM more", "under key"
            ),
            ("UPDATE card SET protection_key = 9, version = version + 1", "under key"),
            (
                "UPDATE card SET confirmed = confirmed - 1, version = version + 1",
                "must not decrease"
            ),
            (
                "UPDATE card SET allocated = allocated - 1, version = version + 1",
                "must not decrease"
            ),
            ("UPDATE card SET balance = 0", "its version must increase by 1"),
            ("UPDATE card SET version = 9223372036854775807", "its version must increase by 1"),
            ("UPDATE activation SET state = 'requested', answered_at = NULL", "answered"),
            ("UPDATE read_counter SET last = last - 1", "can only increase"),
            ("UPDATE request_id SET is_attempt = TRUE", "used only once"),
            (
                "INSERT INTO entry (uid, operation, place, house, station, amount, posted_at) "
                    + "SELECT uid, operation, 1, 'cash', 99, 1, 1 FROM entry LIMIT 1",
                "row-level security"
            ),
            ("INSERT INTO house VALUES ('cash', 99, 0, 1)", "row-level security"),
            (
                "INSERT INTO journal (id, settled, written, missing, reported_at, lasts_until, "
                    + "most, station, place) VALUES (gen_random_uuid(), 0, 0, 0, 0, 0, 0, 99, 0)",
                "row-level security"
            ),
            ("UPDATE house SET balance = 0", "UPDATE 0"),
            ("UPDATE card SET last_place = 9e15, version = version + 1", "UPDATE"),
        ])
    func doesNotChangeWhatWasDone(_ change: String, _ words: String) async throws {
        try await Self.stolen { database, login, session in
            let ledger = try await database.open(station: 7)
            _ = try await ledger.otherKeys(
                than: StationKeys(marks: [1: "first"], usable: [1], sealing: 1))
            let till = LedgerTill(ledger)
            try await till.complete(.issue(1000), id: 1)
            try await till.complete(.scratch(.numbered(9)), id: 2)
            try await till.ask(for: 3)
            try await till.answer(3)
            try await till.complete(.activate, id: 3)
            _ = try await till.open(.pay(.cents(1)), id: 4)
            _ = try await ledger.voidOpenPayment(
                on: .first, version: CardVersion(try await till.knownCard()), at: .end)
            try await till.complete(.pay(.cents(1)), id: 5)
            _ = try await CustomerLedger(ledger).raise(try #require(ReadCounter(7)), of: .first)
            let said = try session.answer(to: change)
            #expect(said.contains(words), "\(said)")
            // Whatever it has written to this card, the next one goes on.
            _ = try? await till.complete(.pay(.cents(1)), id: 6)
            try await till.complete(.issue(1000), id: 7, on: .second)
            try await till.complete(.pay(.cents(1)), id: 8, on: .second)
            let place = try database.answer(
                to: "SELECT max(place) < 8e15 FROM operation WHERE uid = \(CardUID.second.number)")
            #expect(place == "t")
        }
    }

    @Test(
        "The audit finds rows that a station's rights do not let it write",
        arguments: [
            ("UPDATE operation SET sequence = sequence - 1 WHERE kind = 'pay'", "I4: operation"),
            ("UPDATE card SET confirmed = confirmed - 1", "I5: card \(CardUID.first): confirmed"),
        ])
    func isFoundByTheAudit(_ change: String, _ invariant: String) async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(1000), id: 1)
            try await till.complete(.pay(.cents(1)), id: 2)
            #expect(try await ledger.audit().violations == [])
            try database.change("SET session_replication_role = replica; \(change)")
            let violations = try await ledger.audit().violations
            #expect(violations.contains { $0.hasPrefix(invariant) }, "\(violations)")
        }
    }

    /// An operation that was set back is not a lost commit if its card has gone on since.
    @Test(
        "An operation that was set back counts as lost only if its card was set back, too",
        arguments: [false, true])
    func asksForNoLoss(_ isLost: Bool) async throws {
        try await TestDatabase.temporary { database in
            let memory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: memory) }
            let till = LedgerTill(
                try await PostgreSQLLedger.open(database.address, as: 1, memory: memory.path))
            try await till.complete(.issue(1000), id: 1)
            try await till.complete(.pay(.cents(1)), id: 2)
            try database.change(
                """
                SET session_replication_role = replica;
                UPDATE operation SET state = 'pending', ended_at = NULL WHERE kind = 'pay';
                \(isLost ? "UPDATE card SET confirmed = confirmed - 1" : "")
                """)
            guard isLost else {
                let ledger = try await PostgreSQLLedger.open(
                    database.address, as: 1, memory: memory.path)
                #expect(try await ledger.audit().violations != [])
                return
            }
            let error = await #expect(throws: LedgerError.self) {
                _ = try await PostgreSQLLedger.open(database.address, as: 1, memory: memory.path)
            }
            #expect(error?.kind == .undeclared)
        }
    }
}
