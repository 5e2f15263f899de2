import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// A stolen station writes extreme values wherever its login may write.
@Suite("Rows that a stolen station writes") struct HostileRowsTests {
    private static let tables = [
        "prize", "ticket_name", "ticket", "activation", "code", "gap", "issued_record", "entry",
        "reversal", "request_id", "operation", "house", "read_counter", "journal", "card",
        "key_mark",
    ]

    /// Parts that run side by side, each with ledgers of its own.
    private static let parts = 4

    @Test(
        "Extreme values that a stolen station writes stop no other station",
        arguments: ["UPDATE", "INSERT"], 0..<parts)
    func stopNobodyElse(_ right: String, part: Int) async throws {
        try await StolenStationTests.stolen { database, login, session in
            let ledger = try await database.open(station: 7)
            try await Self.sell(on: ledger, database)
            let owner = try PrivatePostgreSQL.shared.get().session(
                in: database.name, as: "tapcard", password: "")
            _ = try owner.answer(to: "SET session_replication_role = replica")
            for table in Self.tables {
                _ = try owner.answer(to: "CREATE TABLE saved_\(table) AS TABLE \(table)")
            }
            let attacks = try Self.attacks(by: right, of: login, database)
            var accepted = 0
            for (number, attack) in Thoroughness.some(attacks, of: 5).enumerated()
            where number % Self.parts == part {
                guard try session.answer(to: attack).hasSuffix(" 1") else { continue }
                accepted += 1
                try await Self.expectGoingOn(ledger, database, attack, 1_000 + 10 * number)
                let statements =
                    ["BEGIN"] + Self.tables.map { "DELETE FROM \($0)" }
                    + Self.tables.reversed().map { "INSERT INTO \($0) TABLE saved_\($0)" }
                    + ["UPDATE card SET version = version + \(1_000 * accepted)", "COMMIT"]
                let reset = try owner.answer(to: statements.joined(separator: "; "))
                try #require(reset.hasSuffix("COMMIT"), "\(reset)")
            }
            #expect(accepted > 2, "\(accepted) of \(attacks.count)")
            #expect(try await ledger.audit().violations == [])
        }
    }

    /// Two cards with rows in every table; the attacks are on the first.
    private static func sell(on ledger: PostgreSQLLedger, _ database: TestDatabase) async throws {
        _ = try await ledger.otherKeys(
            than: StationKeys(marks: [1: "first"], usable: [1], sealing: 1))
        let till = LedgerTill(ledger)
        try await till.complete(.issue(5000), id: 1)
        try await till.complete(.issue(5000), id: 2, on: .second)
        try await till.complete(.scratch(.numbered(9)), id: 3)
        try await till.ask(for: 4)
        try await till.complete(.ticket(.sample(), .cents(50)), id: 5)
        try await till.complete(.claim(Ticket.sample().id, .cents(50)), id: 6)
        let payment = try await till.complete(.pay(.cents(400)), id: 7)
        try await till.complete(.refund(of: payment.id, nil), id: 8)
        _ = try await CustomerLedger(ledger).raise(try #require(ReadCounter(7)), of: .first)
        try await database.owned.reopen(.something)
        try await till.complete(.pay(.cents(1)), id: 9)
        _ = try await till.open(.pay(.cents(1)), id: 10)
        try database.change(
            """
            INSERT INTO journal (id, station, place, settled, written, missing, reported_at,
                lasts_until, most) VALUES (gen_random_uuid(), 7, 1, 1, 1, 0, 1, 9, 5);
            INSERT INTO code VALUES (gen_random_uuid())
            """)
    }

    private static func expectGoingOn(
        _ ledger: PostgreSQLLedger, _ database: TestDatabase, _ attack: String, _ id: Int
    ) async throws {
        let till = LedgerTill(ledger)
        // The card itself: any answer.
        if let known = try? await till.knownCard(), let open = known.open {
            _ = try? await ledger.end(
                open, as: .voided, resealWith: .numbered(id), version: CardVersion(known),
                sealer: till.sealer, at: .end)
        }
        _ = try? await till.complete(.pay(.cents(1)), id: id + 1)
        do {
            try await till.complete(.pay(.cents(1)), id: id + 2, on: .second)
            // A busy server may take longer than people wait for its state.
            try await Self.answered { () async throws(LedgerError) in
                _ = try await database.owned.status()
            }
            _ = try await database.owned.stations()
            _ = try await ledger.journals()
            _ = try await ledger.readWithoutBlocking { rows throws(LedgerError) in
                _ = try (rows.keyUsage(), rows.usedKeys())
                var standings = rows.pagesOfStandings()
                while try standings.next() != nil {}
            }
        } catch {
            Issue.record("\(attack): \(error)")
        }
        do {
            _ = try await ledger.audit(at: .end)
        } catch {
            let detail = error.detail
            let isNamed = detail.contains(/[0-9A-F]{14}|[0-9a-f-]{36}|row of \w+ \S+/)
            #expect(isNamed, "\(attack): \(detail)")
        }
    }

    private static func answered(_ body: () async throws(LedgerError) -> Void) async throws {
        for _ in 1...10 {
            do throws(LedgerError) { return try await body() } catch {
                guard error.kind == .offline else { throw error }
            }
        }
        try await body()
    }

    private static let values = [
        "bigint": [
            "9223372036854775807", "-9223372036854775808", "9007199254740992", "99999999", "0",
        ],
        "integer": ["2147483647", "-2147483648", "16777215", "0"],
        "smallint": ["32767", "15", "0"],
        "text": [
            "repeat('9', 100000)", "''", "'x'", "'9999999999999999999'", "chr(10)", "'active'",
        ],
        "uuid": ["gen_random_uuid()"], "boolean": ["TRUE", "FALSE"],
        "bytea": ["repeat('a', 100000)::bytea", "repeat('a', 16)::bytea", "''"],
    ]

    /// The values that make a copied row a new one.
    private static let own = [
        "operation": ["id": "gen_random_uuid()", "state": "'committed'", "ended_at": "1"],
        "entry": ["place": "place + 1"], "issued_record": ["sequence": "16777215"],
        "gap": ["place": "place + 1"], "ticket": ["id": "'new'"],
        "activation": ["id": "gen_random_uuid()", "code": "gen_random_uuid()"],
        "journal": ["id": "gen_random_uuid()"], "house": ["part": "9"], "key_mark": ["id": "9"],
        "card": ["uid": "9"], "reversal": ["id": "gen_random_uuid()"],
        "request_id": ["id": "gen_random_uuid()"], "code": ["code": "gen_random_uuid()"],
    ]

    private static func attacks(
        by right: String, of login: StationRightsTests.Login, _ database: TestDatabase
    ) throws -> [String] {
        let columns = try database.answer(
            to: """
                SELECT table_name || ' ' || column_name || ' ' || split_part(data_type, ' ', 1)
                FROM information_schema.columns
                WHERE table_schema = 'public' AND table_name !~ '(_[0-9]+$|^saved_)'
                    AND has_column_privilege('\(login.name)', table_name::text, column_name,
                        '\(right)')
                ORDER BY table_name, column_name
                """
        ).split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
        let names = Dictionary(grouping: columns) { $0[0] }.mapValues { $0.map { $0[1] } }
        return columns.flatMap { column in
            (["NULL"] + values[column[2], default: []]).map { value in
                right == "UPDATE"
                    ? update(column[0], column[1], to: value)
                    : insertion(
                        column[0], names[column[0], default: []], column[1], value, login.number)
            }
        }
    }

    private static func place(in table: String) -> String {
        ["code", "house", "journal", "key_mark", "station"].contains(table)
            ? "TRUE" : "uid = \(CardUID.first.number)"
    }

    private static func update(_ table: String, _ column: String, to value: String) -> String {
        let version = table == "card" && column != "version" ? ", version = version + 1" : ""
        // Of several rows one, the last.
        return """
            UPDATE \(table) SET \(column) = \(value)\(version)
            WHERE \(place(in: table)) AND (tableoid, ctid) = (
                SELECT tableoid, ctid FROM \(table) WHERE \(place(in: table))
                ORDER BY 1 DESC, 2 DESC LIMIT 1)
            """
    }

    private static func insertion(
        _ table: String, _ columns: [String], _ column: String, _ value: String, _ station: Int
    ) -> String {
        let expressions = columns.map { name in
            if name == column { return value }
            if name == "station" { return "\(station)" }
            return own[table]?[name] ?? name
        }
        return """
            INSERT INTO \(table) (\(columns.joined(separator: ", ")))
            SELECT \(expressions.joined(separator: ", ")) FROM \(table)
            WHERE \(place(in: table)) LIMIT 1
            """
    }
}
