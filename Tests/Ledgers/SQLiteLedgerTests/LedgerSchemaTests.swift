import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import TestSupport
import Testing

/// Ledgers by the version of their tables: what is read, what is brought up to date, and what is
/// refused.
@Suite("Versions of a ledger's tables") struct LedgerSchemaTests {
    private static let step = "ALTER TABLE card ADD COLUMN color TEXT DEFAULT 'red'"
    /// A made-up next version.
    private static let next = LedgerSchema(steps: LedgerSchema.current.steps + [step])
    private static let broken = LedgerSchema(
        steps: LedgerSchema.current.steps + ["\(step); INSERT INTO nowhere VALUES (1)"])

    private static let present = LedgerSchema.current.latest
    private static let copy = "ledger.sqlite.v\(present)-backup"

    /// `version-10.sql` stays as it is, whatever the next versions are.
    @Test("A ledger of version 10 is read, and its open operation is finished")
    func tenIsReadAndWritten() async throws {
        try await TestFolder.temporary { folder in
            try folder.make(from: "version-10.sql")
            let ledger = try await folder.open()
            let (lost, uid) = (
                try #require(CardUID("04AC6B72BA6C80")), try #require(CardUID("04BFD2C2187AAE"))
            )
            let before = try await Snapshot(of: ledger)
            #expect(
                before.operations.map(\.kind) == [
                    .issue, .pay, .refund, .scratch, .activate, .ticket, .ticket, .game, .protect,
                    .add, .replace, .block, .unblock, .offline,
                ])
            #expect(before.operations.last?.subject == .tapped(lost))
            #expect(before.journals.map(\.booked) == [1])
            #expect(before.records.map(\.keyID) == Array(repeating: 1, count: 9) + [2, 2])
            #expect(before.activations.map(\.state) == [.active] && before.tickets.count == 2)
            #expect(before.retiredKeys.map(\.id) == [1] && before.gaps.map(\.uid) == [lost])
            #expect(before.cards.map(\.status) == [.replaced, .active])
            #expect(before.cards.map(\.protection) == [.on(keyID: 1), .off])
            #expect(try await ledger.audit().violations == [])
            // What was begun then is finished now.
            let till = LedgerTill(ledger).with(key: 2)
            let known = try await till.knownCard(uid)
            #expect(known.balance == .cents(3000) && known.card.holder.name?.text == "Amanda")
            let open = try #require(known.open)
            #expect(open.kind == .replace)
            let resolution = try await ledger.resume(
                open, version: CardVersion(known), tagHolds: .none, sealer: till.sealer, at: .end)
            guard case .open(let resumed) = resolution else {
                Issue.record("\(resolution)")
                return
            }
            try await till.confirm(resumed)
            try await till.complete(.pay(.cents(100)), id: 7, on: uid)
            #expect(try await till.balance(uid) == 2900)
            #expect(try await ledger.audit().violations == [])
        }
    }

    @Test("A ledger of version 12 keeps its sales and its shifts")
    func twelveIsReadAndWritten() async throws {
        try await TestFolder.temporary { folder in
            try folder.make(from: "version-12.sql")
            let ledger = try await folder.open()
            let before = try await Snapshot(of: ledger)
            #expect(before.operations.map(\.kind) == [.issue, .pay, .add, .pay])
            #expect(
                before.operations.map(\.requester) == Array(repeating: Requester(.ann), count: 4))
            let kept = try await ledger.read { rows throws(LedgerError) in
                try rows.cardless(since: .earliest, until: .latest, after: nil, atMost: 100)
            }
            #expect(kept.count == 5)
            #expect(Set(kept.map(\.kind)) == [.sale, .undo, .cashIn])
            #expect(kept.allSatisfy { $0.requester == Requester(.ann) && $0.shift != nil })
            #expect(try await ledger.audit().violations == [])
            let shift = try #require(
                try await ledger.write { rows throws(LedgerError) in try rows.openShift() })
            let outcome = try await ledger.count(shift.id, 4_000, by: .bob, at: .end)
            guard case .done(let closed) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(closed.closing?.expected == 4_000)
            #expect(try await ledger.audit().violations == [])
        }
    }

    @Test(
        "A migrated ledger has the tables of a new one",
        arguments: ["version-10.sql", "version-12.sql"])
    func tablesAreTheSameHoweverTheyWereMade(_ script: String) async throws {
        let tables = """
            SELECT group_concat(type || ' ' || name || ' ' || tbl_name || ' '
                || replace(replace(coalesce(sql, ''), char(10), ''), ' ', ''), char(10))
            FROM (SELECT * FROM sqlite_schema ORDER BY type, name)
            """
        try await TestFolder.temporary { folder in
            try folder.make(from: script)
            try await folder.open().close()
            let kept = try RawDatabase(folder.ledger).value(tables)
            folder.remove("ledger.sqlite")
            try await folder.open().close()
            #expect(try RawDatabase(folder.ledger).value(tables) == kept)
            #expect(kept?.contains("read_counter") == true)
        }
    }

    @Test("A migration runs once and leaves a copy of the old version")
    func thatIsNextIsReachedOnceWithACopyOfTheOldOne() async throws {
        try await TestFolder.temporary { folder in
            let before = try await folder.snapshotOfThisVersion()
            let ledger = try await folder.open(Self.next)
            #expect(try await Snapshot(of: ledger) == before)
            try await LedgerTill(ledger).complete(.pay(.cents(1)), id: 9)
            await ledger.close()
            #expect(folder.names == ["ledger.sqlite", Self.copy])
            #expect(File.mode("\(folder.path)/\(Self.copy)") == 0o600)
            for (query, value) in [
                ("PRAGMA user_version", "\(Self.present + 1)"), ("SELECT color FROM card", "red"),
            ] {
                #expect(try RawDatabase(folder.ledger).value(query) == value)
            }
            // The copy is of this version, and what came of it is not any more.
            let copy = try await SQLiteLedger.open(
                path: "\(folder.path)/\(Self.copy)", currency: nil)
            #expect(try await Snapshot(of: copy) == before)
            await copy.close()
            await #expect(throws: LedgerError(.newer, "")) { try await folder.open() }
            folder.remove(Self.copy)
            try await folder.open(Self.next).close()
            #expect(folder.names == ["ledger.sqlite"])
        }
    }

    @Test("A failed migration leaves the ledger as it was")
    func thatIsNotReachedLeavesTheLedgerAsItWas() async throws {
        try await TestFolder.temporary { folder in
            let before = try await folder.snapshotOfThisVersion()
            for _ in 0..<2 {
                await #expect(throws: LedgerError(.corrupt, "")) {
                    try await folder.open(Self.broken)
                }
            }
            let raw = try RawDatabase(folder.ledger)
            #expect(raw.value("PRAGMA user_version") == "\(Self.present)")
            let ledger = try await folder.open()
            #expect(try await Snapshot(of: ledger) == before)
            await ledger.close()
            try await folder.open(Self.next).close()
        }
    }

    @Test("A new ledger has the latest version and no copy of an older one")
    func isTheLatestInANewLedger() async throws {
        try await TestFolder.temporary { folder in
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await folder.open(Self.broken)
            }
            #expect(folder.names == [])
            try await folder.open(Self.next).close()
            #expect(folder.names == ["ledger.sqlite"])
            let raw = try RawDatabase(folder.ledger)
            #expect(raw.value("PRAGMA user_version") == "\(Self.present + 1)")
        }
    }

    @Test(
        "A version from before the first release is neither opened nor restored",
        arguments: [1, LedgerSchema.oldest - 1])
    func beforeTheFirstReleaseIsRefused(_ version: Int64) async throws {
        try await TestFolder.temporary { folder in
            try await folder.open().close()
            try RawDatabase(folder.ledger).run("PRAGMA user_version = \(version)")
            let before = File.read(folder.ledger)
            let opened = await #expect(throws: LedgerError(.unavailable, "")) {
                try await folder.open()
            }
            let other = folder.path + "/other"
            let restored = await #expect(throws: LedgerError(.unavailable, "")) {
                try await SQLiteLedger.restore(from: folder.ledger, to: other, currency: nil)
            }
            let reason = "is from before the first release and was left unchanged"
            for detail in [opened?.detail, restored?.detail] {
                #expect(detail?.contains(reason) == true)
            }
            #expect(File.read(folder.ledger) == before && folder.names == ["ledger.sqlite"])
        }
    }
}

extension TestFolder {
    /// Makes the ledger from a script in `fixtures/ledgers`.
    fileprivate func make(from name: String) throws {
        let script = File.read(Repository.path("fixtures/ledgers/\(name)"))
        try #require(!script.isEmpty, "there is no \(name)")
        #expect(try RawDatabase(ledger).run(String(decoding: script, as: UTF8.self)) == nil)
    }

    fileprivate func open(_ schema: LedgerSchema) async throws(LedgerError) -> SQLiteLedger {
        try await SQLiteLedger.open(path: ledger, currency: nil, schema: schema)
    }

    fileprivate func snapshotOfThisVersion() async throws -> Snapshot {
        let ledger = try await open()
        try await LedgerTill(ledger).complete(.issue(), id: 1)
        let snapshot = try await Snapshot(of: ledger)
        await ledger.close()
        return snapshot
    }
}
