import Games
import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import Testing

/// Migrations of this version's ledgers by a later one.
@Suite("A migration") struct MigrationTests {
    private static let later = LedgerSchema(
        steps: LedgerSchema.current.steps + [
            "ALTER TABLE card ADD COLUMN colour TEXT DEFAULT 'red'"
        ])
    private static let broken = LedgerSchema(
        steps: LedgerSchema.current.steps + [
            "ALTER TABLE card ADD COLUMN colour TEXT; INSERT INTO nowhere VALUES (1)"
        ])

    private static let present = LedgerSchema.current.steps.count

    @Test func keepsACopyAndEveryRow() async throws {
        try await TestFolder.temporary { folder in
            let before = try await folder.snapshotOfThisVersion()
            let ledger = try await folder.open(MigrationTests.later)
            #expect(try await Snapshot(of: ledger) == before)
            try await Desk(ledger).complete(.pay(.cents(1)), id: 9)
            await ledger.close()
            #expect(
                folder.names == [
                    "ledger.sqlite", "ledger.sqlite.v\(MigrationTests.present)-backup",
                ])
            #expect(File.mode(folder.ledger + ".v\(MigrationTests.present)-backup") == 0o600)

            let raw = try RawDatabase(folder.ledger)
            #expect(raw.value("PRAGMA user_version") == "\(MigrationTests.present + 1)")
            #expect(raw.value("SELECT colour FROM card") == "red")
            let copy = try await SQLiteLedger.open(
                path: folder.ledger + ".v\(MigrationTests.present)-backup", currency: nil)
            #expect(try await Snapshot(of: copy) == before)
        }
    }

    @Test func bringsTheFirstSchemaUpToDate() async throws {
        try await TestFolder.temporary { folder in
            try RawDatabase(folder.ledger).run(try LedgerFixture.text("version-1.sql"))
            let before = File.read(folder.ledger)
            let ledger = try await folder.open()
            let uid = try #require(CardUID("04AC6B72BA6C80"))
            let view = try #require(try await ledger.view(of: uid))
            #expect(view.balance == .cents(1550) && view.card.confirmed.value == 3)
            #expect(view.card.protection == .off && view.card.scratch.code != nil)
            #expect(try await ledger.audit().violations == [])
            #expect(folder.names.contains("ledger.sqlite.v1-backup"))
            #expect(try await ledger.noteProtection(of: uid, .on(keyID: 15), insteadOf: .off))
            #expect(try await ledger.view(of: uid)?.card.protection == .on(keyID: 15))
            await ledger.close()
            #expect(
                try RawDatabase(folder.ledger).value("PRAGMA user_version")
                    == "\(MigrationTests.present)")
            let copy = try RawDatabase(folder.ledger + ".v1-backup")
            #expect(copy.value("PRAGMA user_version") == "1")
            #expect(copy.value("SELECT protection FROM card") == nil)
            #expect(File.size(folder.ledger + ".v1-backup") == before.count)
        }
    }

    @Test func bringsTheSecondSchemaUpToDate() async throws {
        try await TestFolder.temporary { folder in
            try RawDatabase(folder.ledger).run(try LedgerFixture.text("version-2.sql"))
            let ledger = try await folder.open()
            let uid = try #require(CardUID("04AC6B72BA6C80"))
            let view = try #require(try await ledger.view(of: uid))
            #expect(view.card.protection == .on(keyID: 1))
            #expect(view.card.ticket == nil && view.card.game == nil && view.activation == nil)
            #expect(view.open?.kind == .activate && view.open?.subject == nil)
            #expect(try await ledger.audit().violations == [])
            #expect(folder.names.contains("ledger.sqlite.v2-backup"))
            // What was begun then is finished now, and what is new can be done.
            let desk = Desk(ledger)
            let open = try #require(view.open)
            let settled = try await ledger.resume(
                open, seen: Seen(view), tagHolds: .none, sealer: desk.sealer, at: .end)
            guard case .work(let work) = settled else {
                Issue.record("\(settled)")
                return
            }
            try await desk.confirm(work)
            try await desk.complete(.ticket(.sample(), .cents(200)), id: 7, on: uid)
            try await desk.complete(.claim(Ticket.sample().id, .cents(300)), id: 8, on: uid)
            try await desk.complete(.game(.sample), id: 9, on: uid)
            #expect(try await ledger.view(of: uid)?.balance == .cents(1650))
            #expect(try await ledger.view(of: uid)?.card.ticket == .sample())
            #expect(try await ledger.audit().violations == [])
            await ledger.close()
            let copy = try RawDatabase(folder.ledger + ".v2-backup")
            #expect(copy.value("PRAGMA user_version") == "2")
            #expect(copy.value("SELECT count(*) FROM ticket") == nil)
        }
    }

    @Test func bringsTheFourthSchemaUpToDate() async throws {
        try await TestFolder.temporary { folder in
            try RawDatabase(folder.ledger).run(try LedgerFixture.text("version-4.sql"))
            let ledger = try await folder.open()
            let uid = try #require(CardUID("04CB0425BF0CFC"))
            let before = try await Snapshot(of: ledger)
            #expect(
                before.operations.map(\.kind) == [
                    .issue, .pay, .scratch, .activate, .ticket, .ticket, .ticket, .ticket, .ticket,
                    .payout, .claim,
                ])
            #expect(before.operations.allSatisfy { $0.cashier == nil && $0.state == .committed })
            #expect(before.tickets.count == 5 && before.activations.map(\.state) == [.active])
            #expect(before.balances[.cash] == -1800 && before.balances[.prizes] == -400)
            #expect(before.records.count == 10 && before.entries.count == 18)
            #expect(try await ledger.view(of: uid)?.balance == .cents(750))
            #expect(try await ledger.audit().violations == [])
            // What is begun now says who has begun it, and what was begun then stays as it was.
            let paid = try await Desk(ledger, .ann).complete(.pay(.cents(50)), id: 7, on: uid)
            #expect(paid.cashier == .ann)
            let after = try await Snapshot(of: ledger)
            #expect(Array(after.operations.dropLast()) == before.operations)
            await ledger.close()
            let raw = try RawDatabase(folder.ledger)
            #expect(raw.value("PRAGMA integrity_check") == "ok")
            #expect(raw.value("SELECT count(*) FROM operation WHERE cashier = 'Ann'") == "1")
            let copy = try RawDatabase(folder.ledger + ".v4-backup")
            #expect(copy.value("PRAGMA user_version") == "4")
            #expect(copy.value("SELECT count(*) FROM operation") == "11")
        }
    }

    @Test func bringsTheEighthSchemaUpToDate() async throws {
        try await TestFolder.temporary { folder in
            try RawDatabase(folder.ledger).run(try LedgerFixture.text("version-8.sql"))
            let ledger = try await folder.open()
            let uid = try #require(CardUID("04AC6B72BA6C80"))
            #expect(try await ledger.view(of: uid)?.balance == .cents(2050))
            #expect(try await Snapshot(of: ledger).journals == [])
            // A purchase that was deferred can be booked now.
            let purchase = DeferredPurchase(
                id: .numbered(1), uid: uid, chip: .ntag213, account: 1,
                sequence: .none, amount: 50, at: .end, journal: .numbered(3), number: 1)
            #expect(try await ledger.settle(purchase, at: .end).isNew)
            #expect(try await ledger.view(of: uid)?.balance == .cents(2000))
            #expect(try await ledger.audit().violations == [])
            await ledger.close()
            let copy = try RawDatabase(folder.ledger + ".v8-backup")
            #expect(copy.value("PRAGMA user_version") == "8")
            #expect(copy.value("SELECT count(*) FROM journal") == nil)
        }
    }

    @Test func bringsTheNinthSchemaUpToDate() async throws {
        try await TestFolder.temporary { folder in
            try RawDatabase(folder.ledger).run(try LedgerFixture.text("version-9.sql"))
            let ledger = try await folder.open()
            let uid = try #require(CardUID("04AC6B72BA6C80"))
            let customers = CustomerLedger(ledger)
            let statement = try #require(try await customers.statement(of: uid, at: .end))
            #expect(statement.balance == .cents(2250) && statement.lastShown == nil)
            #expect(statement.movements.map(\.amount.minorUnits) == [200, -450, 2500])
            let counter = try #require(ReadCounter(1))
            #expect(try await customers.raise(counter, of: uid))
            #expect(try await !customers.raise(counter, of: uid))
            #expect(try await ledger.audit().violations == [])
            await ledger.close()
            let copy = try RawDatabase(folder.ledger + ".v9-backup")
            #expect(copy.value("PRAGMA user_version") == "9")
            #expect(copy.value("SELECT count(*) FROM read_counter") == nil)
        }
    }

    /// The limits of two columns are a part of their tables' text.
    @Test func makesRoomForPrizesThatNoCardHolds() async throws {
        try await TestFolder.temporary { folder in
            let raw = try RawDatabase(folder.ledger)
            raw.run(try LedgerFixture.text("version-2.sql"))
            #expect(raw.run(LedgerSchema.current.steps[2] + "PRAGMA user_version = 3") == nil)
            let large = """
                INSERT INTO entry (operation, account, amount, posted_at)
                SELECT id, 'cash', \(Currency.largestPayout), 1 FROM operation WHERE kind = 'pay'
                """
            #expect(raw.run(large)?.contains("constraint") == true)

            let ledger = try await folder.open()
            let desk = Desk(ledger)
            try await desk.complete(.issue(), id: 1)
            try await desk.complete(.ticket(.sample(), .cents(200)), id: 2)
            guard case .booked = try await desk.payOut(Currency.largestPayout, id: 3) else {
                Issue.record("the prize was not booked")
                return
            }
            #expect(try await ledger.audit().violations == [])
            await ledger.close()
            #expect(raw.value("PRAGMA integrity_check") == "ok")
            #expect(folder.names.contains("ledger.sqlite.v3-backup"))
        }
    }

    @Test(arguments: [
        "protection = 'open'", "protection = 'on'", "protection_key = 1",
        "protection = 'on', protection_key = 16", "protection = NULL",
    ])
    func takesNoProtectionThatMakesNoSense(_ change: String) async throws {
        try await TestFolder.temporary { folder in
            _ = try await folder.snapshotOfThisVersion()
            let raw = try RawDatabase(folder.ledger)
            #expect(raw.run("UPDATE card SET \(change)")?.contains("constraint") == true)
            #expect(raw.run("UPDATE card SET protection = 'on', protection_key = 15") == nil)
        }
    }

    @Test func happensOnce() async throws {
        try await TestFolder.temporary { folder in
            _ = try await folder.snapshotOfThisVersion()
            try await folder.open(MigrationTests.later).close()
            folder.remove("ledger.sqlite.v\(MigrationTests.present)-backup")
            try await folder.open(MigrationTests.later).close()
            #expect(folder.names == ["ledger.sqlite"])
        }
    }

    @Test func thatFailsLeavesTheLedgerAsItWas() async throws {
        try await TestFolder.temporary { folder in
            let before = try await folder.snapshotOfThisVersion()
            for _ in 0..<2 {
                await #expect(throws: LedgerError(.corrupt, "")) {
                    try await folder.open(MigrationTests.broken)
                }
            }
            #expect(
                try RawDatabase(folder.ledger).value("PRAGMA user_version")
                    == "\(MigrationTests.present)")
            let ledger = try await folder.open()
            #expect(try await Snapshot(of: ledger) == before)
            await ledger.close()
            try await folder.open(MigrationTests.later).close()
        }
    }

    @Test func isNotNeededForANewLedger() async throws {
        try await TestFolder.temporary { folder in
            try await folder.open(MigrationTests.later).close()
            #expect(folder.names == ["ledger.sqlite"])
            #expect(
                try RawDatabase(folder.ledger).value("PRAGMA user_version")
                    == "\(MigrationTests.present + 1)")
            await #expect(throws: LedgerError(.newer, "")) { try await folder.open() }
        }
    }

    @Test func thatFailsOnANewLedgerLeavesNothing() async throws {
        try await TestFolder.temporary { folder in
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await folder.open(MigrationTests.broken)
            }
            #expect(folder.names == [])
        }
    }
}

extension TestFolder {
    fileprivate func open(_ schema: LedgerSchema) async throws(LedgerError) -> SQLiteLedger {
        try await SQLiteLedger.open(path: ledger, currency: nil, schema: schema)
    }

    fileprivate func snapshotOfThisVersion() async throws -> Snapshot {
        let ledger = try await open()
        try await Desk(ledger).complete(.issue(), id: 1)
        let snapshot = try await Snapshot(of: ledger)
        await ledger.close()
        return snapshot
    }
}
