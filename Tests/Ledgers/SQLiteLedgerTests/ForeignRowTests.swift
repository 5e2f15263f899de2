import Glibc
import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import TestSupport
import Testing

/// Rows that no ledger has written, with any value in any column, as somebody with an SQLite tool
/// leaves them. Every request to such a ledger is answered or refused and never ends the program.
@Suite("Arbitrary values in a ledger's columns") struct ForeignRowTests {
    static let tables = [
        "account", "activation", "card", "entry", "gap", "issued_record", "journal", "operation",
        "read_counter", "retired_key", "setting", "ticket",
    ]

    /// Values as SQL text. `make test` tries the greatest number, NULL, and a long text.
    private static let values = Thoroughness.some(
        [
            "9223372036854775807", "-9223372036854775808", "x''", "-1", "''", "0", "1.5", "x'00'",
            "NULL", "'purse:04AC6B72BA6C80:9223372036854775807'", "1000000000000000000",
            "9223372036854775806", "2147483647", "'\u{1F4B6}'", "'pending'", "zeroblob(17)",
            "printf('%.*c', 100000, 'x')", "'boot 9223372036854775807'", "16777215", "4294967296",
            "-1000000000000000000", "'boot -9223372036854775808'",
        ], of: 8)

    /// The columns of a table are tried one after the other, in one process.
    @Test(
        "A request to a ledger with any value in a column never ends the program", arguments: tables
    )
    func column(of table: String) async throws {
        try await TestFolder.temporary { folder in
            try await ForeignRowTests.fill(folder)
            let sound = File.read(folder.ledger)
            let names = try #require(
                try RawDatabase(folder.ledger).value(
                    "SELECT group_concat(name, ' ') FROM pragma_table_info('\(table)')"))
            for column in names.split(separator: " ") {
                for value in ForeignRowTests.values {
                    for name in folder.names { folder.remove(name) }
                    File.write(sound, to: folder.ledger)
                    ForeignRowTests.set(column, of: table, to: value, in: folder)
                    await ForeignRowTests.askEverything(of: folder)
                }
            }
        }
    }

    /// A valid ledger in which each table has a row.
    private static func fill(_ folder: TestFolder) async throws {
        let ledger = try await TamperedLedgerTests.ledger(in: folder)
        let till = LedgerTill(ledger)
        try await ledger.note(
            JournalReport(id: .numbered(600), written: 1, duration: .seconds(60), limit: 500),
            at: .end)
        _ = try await ledger.book(payment(40), at: .end)
        _ = try await ledger.skipNumbersAfterRestore()
        let counter = try #require(ReadCounter(7))
        _ = try await ledger.write { rows throws(LedgerError) in
            try rows.raise(counter, of: .first)
        }
        try await ledger.retire([9], at: .end)
        _ = try await till.open(.pay(.cents(10)), id: 41)
        await ledger.close()
        let raw = try RawDatabase(folder.ledger)
        raw.run("PRAGMA journal_mode = DELETE")
        let triggers = raw.value(
            "SELECT group_concat(name, ' ') FROM sqlite_schema WHERE type = 'trigger'")
        for name in (triggers ?? "").split(separator: " ") { raw.run("DROP TRIGGER \(name)") }
        // Any type, and nothing too.
        for (strict, loose) in [
            (" STRICT, WITHOUT ROWID", " WITHOUT ROWID"), (") STRICT", ")"),
            (" TEXT NOT NULL", " TEXT"), (" INTEGER NOT NULL", " INTEGER"),
            (" BLOB NOT NULL", " BLOB"),
        ] {
            raw.run(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = replace(sql, '\(strict)', '\(loose)')
                    WHERE type = 'table';
                PRAGMA writable_schema = RESET
                """)
        }
        #expect(raw.value("PRAGMA integrity_check") == "ok")
    }

    private static func set(
        _ column: Substring, of table: String, to value: String, in folder: TestFolder
    ) {
        guard let raw = try? RawDatabase(folder.ledger) else { return }
        raw.run("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
        // All rows, or the last one where the column is unique.
        if raw.run("UPDATE \(table) SET \(column) = \(value)") != nil {
            raw.run(
                """
                UPDATE \(table) SET \(column) = \(value) WHERE \(column) = (
                    SELECT max(\(column)) FROM \(table))
                """)
        }
    }

    private static func payment(_ number: Int) -> OfflinePayment {
        OfflinePayment(
            id: .numbered(number), uid: .first, chip: .ntag215, account: 1,
            sequence: .none, amount: 1, at: .tick(number), journal: .numbered(600), number: 1)
    }

    // MARK: What is asked

    private static func askEverything(of folder: TestFolder) async {
        guard let ledger = try? await folder.open() else { return }
        let till = LedgerTill(ledger)
        await readEverything(at: ledger)
        for uid in [CardUID.first, .second, .numbered(4), .numbered(5)] {
            await resolveOpen(on: uid, till)
        }
        var number = 1_000
        for uid in [CardUID.first, .second, .numbered(3), .numbered(4), .numbered(5)] {
            for action in actions {
                number += 1
                guard case .begun(let open)? = try? await till.begin(action, id: number, on: uid)
                else { continue }
                _ = try? await ledger.confirm(open, at: .end)
            }
            if (try? await ledger.knownCard(of: uid)) != nil {
                _ = try? await till.ask(for: number + 500, on: uid)
            }
            _ = try? await till.answer(number + 500)
            for change in [StatusChange.block, .unblock, .forget] {
                number += 1
                _ = try? await ledger.change(uid, change, id: .numbered(number), at: .end)
            }
            _ = try? await till.payOut(30, of: .sample(3), id: number + 600, on: uid)
        }
        for number in [40, 41, 50, 8] {
            _ = try? await ledger.book(payment(number), at: .end)
        }
        let report = JournalReport(
            id: .numbered(600), written: 9, duration: .seconds(60), limit: 500)
        try? await ledger.note(report, at: .end)
        _ = try? await ledger.writeOff(.numbered(600), at: .end)
        try? await ledger.retire([3], at: .end)
        _ = try? await ledger.skipNumbersAfterRestore()
        await readEverything(at: ledger)
        await ledger.close()
    }

    private static var actions: [CardAction] {
        [
            .pay(.cents(10)), .add(.cents(10)), .refund(of: .numbered(9), nil),
            .reverse(of: .numbered(7), nil), .scratch(.numbered(90)), .activate,
            .ticket(.sample(9), .cents(5)), .claim(Ticket.sample(3).id, .cents(5)),
            .protect(keyID: 1), .unprotect, .reseal(above: .none), .game(nil), .close,
            .make(.sample(.replace(lost: .first), balance: 0)), .reissue(),
        ]
    }

    private static func readEverything(at ledger: SQLiteLedger) async {
        _ = try? await ledger.audit(at: .end)
        _ = try? await Snapshot(of: ledger)
        _ = try? await ledger.tickets(of: nil)
        for number in 1...41 {
            _ = try? await ledger.answer(to: .numbered(number))
            _ = try? await ledger.ticketsGivenUp(by: .numbered(number))
        }
        for uid in (1...5).map({ CardUID.numbered($0) }) {
            _ = try? await ledger.knownCard(of: uid)
            _ = try? await ledger.tickets(of: uid)
        }
        _ = try? await ledger.read { rows throws(LedgerError) in
            var takings = Takings()
            for operation in try rows.operations(on: nil) {
                takings.count(operation, try rows.booked(besides: operation))
                _ = operation.change(in: .usd).shown
            }
            _ = takings.drawer
            return takings
        }
        _ = try? await ledger.read { rows throws(LedgerError) in
            try rows.standings(after: nil, atMost: 10).count
        }
    }

    /// What a tap does with an operation that is open on the card.
    private static func resolveOpen(on uid: CardUID, _ till: LedgerTill) async {
        guard let known = try? await till.ledger.knownCard(of: uid), let open = known.open else {
            return
        }
        let version = CardVersion(known)
        if case .open(let resumed)? = try? await till.ledger.resume(
            open, version: version, tagHolds: .none, sealer: till.sealer, at: .end)
        {
            _ = try? await till.ledger.confirm(resumed, at: .end)
        }
        _ = try? await till.ledger.end(
            open, as: .voided, resealWith: .numbered(900), version: version, sealer: till.sealer,
            at: .end)
        _ = try? await till.ledger.voidOpenPayment(on: uid, version: version, at: .end)
    }
}
