import Glibc
import Ledger
import LedgerConformance
import PostgreSQLLedger
import TapcardDomain
import TestSupport
import Testing

/// A server that was promoted or restored takes no money before its owner has declared what was
/// lost.
@Suite("Opening a ledger in PostgreSQL", .serialized) struct OpeningTests {
    @Test("A promoted replica takes no money until its owner has reopened the ledger")
    func isDeclaredAgainAfterAPromotion() async throws {
        try await TestDatabase.temporary { database in
            let replica = try PrivatePostgreSQL(copying: PrivatePostgreSQL.shared.get())
            defer { replica.kill() }
            let early = await OpeningTests.error(of: replica.address(of: database.name))
            #expect(early?.kind == .offline)
            #expect(early?.detail.hasPrefix("only a read-only replica responds") == true)
            try replica.promote()
            let address = replica.address(of: database.name)
            #expect(await OpeningTests.error(of: address)?.kind == .undeclared)
            let owner = PostgreSQLDatabase(address, now: { .tick(0) })
            #expect(try await owner.status().isOpen == false)
            try await owner.reopen(.nothing)
            let status = try await owner.status()
            #expect(status.isOpen && status.epoch == 1)
            let ledger = try await database.open(address)
            try await LedgerTill(ledger).complete(.issue(), id: 1)
            #expect(try await LedgerTill(ledger).knownCard().card.allocated.value == 1)
        }
    }

    /// A copy changes the name of the server, as a promotion does.
    @Test("A copied ledger takes no money until it is reopened, while the original goes on")
    func isDeclaredAgainForACopy() async throws {
        try await TestDatabase.temporary { database in
            let server = try PrivatePostgreSQL.shared.get()
            let copy = database.name + "_copy"
            let address = try server.database(copy, copying: database.name)
            defer { try? server.remove(copy) }
            #expect(await OpeningTests.error(of: address)?.kind == .undeclared)
            let original = LedgerTill(try await database.open())
            try await original.complete(.issue(1000), id: 1)
            try await PostgreSQLDatabase(address, now: { .tick(0) }).reopen(.nothing)
            let copied = LedgerTill(try await database.open(address))
            try await copied.complete(.issue(500), id: 1)
            try await original.complete(.pay(.cents(100)), id: 2)
            #expect(try await original.balance() == 900)
            #expect(try await copied.balance() == 500)
        }
    }

    /// A backup of the whole server is restored, and lacks what was sold since.
    @Test(
        "A restored server opens once its owner has declared a loss, and reuses no number",
        .checkOnly)
    func isDeclaredAgainAfterARestore() async throws {
        let server = try PrivatePostgreSQL()
        defer { server.kill() }
        let address = try server.database("issuer")
        try await PostgreSQLDatabase(address, now: { .tick(0) }).makeLedger(
            in: .usd, partitions: 2)
        let ledger = try await PostgreSQLLedger.open(address, as: 1)
        try await LedgerTill(ledger).complete(.issue(1000), id: 1)
        let restored = try PrivatePostgreSQL(restoring: server)
        defer { restored.kill() }
        let lost = try await LedgerTill(ledger).complete(.pay(.cents(100)), id: 2)
        let place = restored.address(of: "issuer")
        #expect(await OpeningTests.error(of: place)?.kind == .undeclared)
        let owner = PostgreSQLDatabase(place, now: { .tick(0) })
        #expect(try await owner.status().isOpen == false)
        try await owner.reopen(.something)
        let again = try await PostgreSQLLedger.open(place, as: 1)
        #expect(try await LedgerTill(again).balance() == 1000)
        let next = try await LedgerTill(again).complete(.pay(.cents(1)), id: 3)
        #expect(next.sequence > lost.sequence)
        #expect(try await again.audit().violations == [])
    }

    @Test("A ledger in an unknown currency is refused")
    func refusesACurrencyThatItDoesNotKnow() async throws {
        try await TestDatabase.temporary { database in
            try database.change("UPDATE setting SET currency = 'XXX'")
            #expect(await OpeningTests.error(of: database.address)?.kind == .corrupt)
        }
    }

    @Test("Every transaction checks that the ledger was opened on this server")
    func isAskedForInEveryTransaction() async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(1000), id: 1)
            let open = try await till.open(.pay(.cents(100)), id: 2)
            try database.change("UPDATE opening SET server = 'another'")
            let refused = await OpeningTests.error { _ = try await till.confirm(open) }
            #expect(refused?.kind == .undeclared)
            let unread = await OpeningTests.error { _ = try await till.knownCard() }
            #expect(unread?.kind == .undeclared)
            #expect(await OpeningTests.error(of: database.address)?.kind == .undeclared)
            try await database.owned.reopen(.nothing)
            try await till.confirm(open)
            #expect(try await till.balance() == 900)
        }
    }

    @Test("After a declared loss, each card skips numbers with its next operation")
    func skipsNumbersAfterALoss() async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open()
            let till = LedgerTill(ledger)
            for number in 1...2 {
                try await till.complete(.issue(1000), id: number, on: .numbered(UInt8(number)))
            }
            let open = try await till.open(.pay(.cents(1)), id: 3, on: .numbered(2))
            _ = try await ledger.addTill(
                try TillName("Bar"), isTrusted: false,
                code: EnrolledTill.Code(hash: [UInt8](repeating: 1, count: 32), expires: .end),
                at: .end)
            try await database.owned.reopen(.something)
            try await database.owned.reopen(.something)
            #expect(try database.answer(to: "SELECT is_suspended FROM till") == "t")
            let skipped = 2 * restoreGap
            let gap = try #require(try await till.knownCard(.numbered(1)).gaps.first).numbers
            #expect(gap.upperBound.value - gap.lowerBound.value + 1 == skipped)
            #expect(try database.answer(to: "SELECT count(*) FROM gap") == "0")
            let paid = try await till.complete(.pay(.cents(1)), id: 4, on: .numbered(1))
            #expect(paid.sequence.value == 2 + skipped)
            // The number of the open payment may be on a tag that a lost commit has reached.
            guard case .superseded = try await ledger.confirm(open, at: .end) else {
                Issue.record("the open payment was confirmed")
                return
            }
            _ = try await ledger.voidOpenPayment(
                on: .numbered(2), version: CardVersion(try await till.knownCard(.numbered(2))),
                at: .end)
            let next = try await till.complete(.pay(.cents(1)), id: 5, on: .numbered(2))
            #expect(next.sequence.value == 3 + skipped)
            try await till.complete(.pay(.cents(1)), id: 6, on: .numbered(1))
            #expect(try database.answer(to: "SELECT count(*) FROM gap") == "2")
            try await till.complete(.issue(), id: 7, on: .numbered(3))
            #expect(try await till.knownCard(.numbered(3)).gaps == [])
            #expect(try await ledger.audit().violations == [])
        }
    }

    @Test(
        "A station with a wrong clock uses the server's time",
        arguments: [0, 300, -540_000, 86_400_000] as [Int64])
    func keepsOneTime(_ slow: Int64) async throws {
        try await TestDatabase.temporary { database in
            let now = { @Sendable in Int64(time(nil)) * 1_000 }
            let lead = ClockLead { now() - slow }
            let ledger = try await PostgreSQLLedger.open(database.address, as: 1, lead: lead)
            let told = ledger.time(at: Timestamp(milliseconds: now() - slow))
            #expect(abs(told.milliseconds - now()) < 3_000, "\(told.milliseconds - now())")
        }
    }

    /// 24 bits have room for 255 gaps of 65,536 numbers. After the next one the card moves to
    /// another tag, with its money.
    @Test(
        "A card has numbers for 255 losses, and one more stops it with its balance kept",
        arguments: [255, 256])
    func leavesACardEnoughNumbers(_ losses: Int) async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(1000), id: 1)
            try database.change(
                """
                INSERT INTO opening SELECT number + loss, server, epoch + loss, 65536, 0, ''
                FROM opening, generate_series(1, \(losses)) AS loss
                WHERE number = (SELECT max(number) FROM opening)
                """)
            guard losses == 256 else {
                try await till.complete(.pay(.cents(1)), id: 2)
                #expect(try await till.balance() == 999)
                return
            }
            guard case .refused(let refusal) = try await till.begin(.pay(.cents(1)), id: 2) else {
                Issue.record("a card without numbers was paid with")
                return
            }
            #expect(refusal.rule == .numbersExhausted)
            #expect(try await till.balance() == 1000)
            #expect(try await ledger.audit().violations == [])
        }
    }

    @Test("A later version that locks out earlier programs still lets them read")
    func letsAnEarlierVersionRead() async throws {
        try await TestDatabase.temporary { database in
            let next = PostgreSQLSchema.version + 1
            let ledger = try await database.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(1000), id: 1)
            let open = try await till.open(.pay(.cents(100)), id: 2)
            try database.change("UPDATE setting SET schema = \(next)")
            #expect(try await database.owned.status().reach == .later)
            try await till.confirm(open)
            let second = try await till.open(.pay(.cents(100)), id: 3)
            // In the middle of a payment, at a station that is connected.
            try database.change("UPDATE setting SET oldest_writer = \(next)")
            for _ in 0..<2 {
                let refused = await OpeningTests.error { _ = try await till.confirm(second) }
                #expect(refused?.kind == .newer)
                #expect(ledger.isReadOnly)
            }
            #expect(try await till.balance() == 900)
            let later = try await PostgreSQLLedger.open(database.address, as: nil)
            #expect(later.isReadOnly)
            #expect(try await LedgerTill(later).knownCard().open?.id == .numbered(3))
            let refused = await OpeningTests.error { try await later.requireWritable() }
            #expect(refused?.kind == .newer)
            let keys = StationKeys(marks: [1: "first"], usable: [1], sealing: 1)
            #expect(try await later.otherKeys(than: keys) == [])
            #expect(try await database.owned.status().reach == .readOnly)
            let migration = await OpeningTests.error { try await database.owned.migrate() }
            #expect(migration?.kind == .newer)
            try database.change("UPDATE setting SET schema = \(next - 1), oldest_writer = 1")
            try await database.owned.migrate()
            try await till.confirm(second)
            #expect(!ledger.isReadOnly)
            #expect(try await till.balance() == 800)
        }
    }

    /// A made-up next version, with which tills of this version go on.
    @Test("A migration updates the tables once, and a failed one changes nothing")
    func bringsTheTablesUpToDate() async throws {
        try await TestDatabase.temporary { database in
            let till = LedgerTill(try await database.open())
            try await till.complete(.issue(1000), id: 1)
            let step = "ALTER TABLE card ADD color text DEFAULT 'red'"
            let failed = await OpeningTests.error {
                try await database.owned.migrate(
                    by: PostgreSQLSchema.steps + [[step, "INSERT INTO nowhere VALUES (1)"]])
            }
            #expect(failed != nil)
            #expect(try await database.owned.status().schema == PostgreSQLSchema.version)
            // A second run has nothing to do.
            for _ in 0..<2 {
                try await database.owned.migrate(by: PostgreSQLSchema.steps + [[step]])
            }
            #expect(try database.answer(to: "SELECT color FROM card") == "red")
            #expect(try await database.owned.status().schema == PostgreSQLSchema.version + 1)
            try await till.complete(.pay(.cents(100)), id: 2)
            #expect(try await till.ledger.audit().violations == [])
        }
    }

    @Test("A ledger from before tills were recorded is upgraded, and keeps its bookings")
    func recordsTills() async throws {
        try await TestDatabase.temporary { database in
            let ledger = try await database.open()
            let till = LedgerTill(ledger, Requester(.ann))
            try await till.complete(.issue(1000), id: 1)
            try await till.complete(.pay(.cents(100)), id: 2)
            let open = try await till.open(.pay(.cents(50)), id: 3)
            let before = try await Snapshot(of: ledger)
            for table in ["operation", "cardless"] {
                try database.change(
                    "ALTER TABLE \(table) DROP COLUMN till, DROP COLUMN supervisor")
            }
            try database.change("DROP TABLE session, till")
            try database.change("UPDATE setting SET schema = 5")
            #expect(await OpeningTests.error { _ = try await database.open() } != nil)
            try await database.owned.migrate()
            let migrated = try await database.open()
            #expect(try await Snapshot(of: migrated) == before)
            // What was begun before the upgrade is finished after it.
            let later = LedgerTill(migrated, Requester(.bob, till: try TillName("Bar 1")))
            try await later.confirm(open)
            try await later.complete(.add(.cents(50)), id: 4)
            let requesters = try await Snapshot(of: migrated).operations.map(\.requester)
            #expect(requesters.map(\.till?.text) == [nil, nil, nil, "Bar 1"])
            #expect(try await migrated.audit().violations == [])
        }
    }

    @Test("Tables that are older than the first release are refused and not migrated")
    func refusesEarlierTables() async throws {
        try await TestDatabase.temporary { database in
            try database.change("UPDATE setting SET schema = 2, oldest_writer = 1")
            let refused = await OpeningTests.error(of: database.address)
            let next = "use an empty database or the version of tapcard that created the tables"
            #expect(refused?.detail.contains(next) == true)
            #expect(try await database.owned.status().reach == .earlier)
            // These were never released.
            let tooOld = await OpeningTests.error { try await database.owned.migrate() }
            #expect(tooOld?.kind == .refused)
            #expect(tooOld?.detail.contains(next) == true)
            #expect(try database.answer(to: "SELECT schema FROM setting") == "2")
        }
    }

    private static func error(of address: String) async -> LedgerError? {
        await error { _ = try await PostgreSQLLedger.open(address) }
    }

    private static func error(_ body: () async throws -> Void) async -> LedgerError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? LedgerError
        }
    }
}
