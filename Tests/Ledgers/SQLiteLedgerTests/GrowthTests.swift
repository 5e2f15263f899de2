import Dispatch
import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import Testing

/// Work that must not cost more because more was done before.
@Suite("A growing ledger") struct GrowthTests {
    @Test("Every request of a cashier searches by an index and scans no large table")
    func isSearchedByIndexesAtEveryTap() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            try await GrowthTests.work(at: LedgerTill(ledger))
            let plans = try await ledger.queryPlans()
            #expect(plans.keys.contains { $0.hasPrefix("INSERT INTO issued_record") })
            #expect(plans.keys.contains { $0.contains("FROM activation WHERE") })
            for (statement, steps) in plans {
                for step in steps {
                    // These have one row, and sixteen; the index has only the open shift; and a row
                    // that others may refer to looks for those only where some were left without
                    // it, which no transaction does.
                    let isSmall =
                        [
                            "SCAN setting", "SCAN retired_key",
                            "SCAN shift USING INDEX one_open_shift",
                        ].contains(step)
                        || statement.hasPrefix("INSERT INTO operation")
                    #expect(isSmall || !step.hasPrefix("SCAN"), "\(step): \(statement)")
                    #expect(!step.contains("AUTOMATIC"), "\(step): \(statement)")
                }
            }
        }
    }

    /// A damaged page that no tap needs stops no other work.
    @Test("Damage that no tap meets is found by the audit, the backup and the restore")
    func isReadThroughByTheAuditAndTheBackupAlone() async throws {
        try await TestFolder.temporary { folder in
            _ = try await folder.filled()
            let raw = try RawDatabase(folder.ledger)
            let page = try #require(
                raw.value("SELECT rootpage FROM sqlite_schema WHERE name = 'operation_by_time'")
                    .flatMap(Int.init))
            var bytes = File.read(folder.ledger)
            for index in 0..<8 { bytes[(page - 1) * 4096 + index] ^= 0x5A }
            folder.put(bytes)
            let ledger = try await folder.open()
            #expect(try await LedgerTill(ledger).balance() == 550)
            await #expect(throws: LedgerError(.corrupt, "")) { try await ledger.audit() }
            await #expect(throws: LedgerError(.corrupt, "")) { try await ledger.checkStorage() }
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await ledger.backup(to: folder.backup)
            }
            #expect(!File.exists(folder.backup))
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await SQLiteLedger.restore(
                    from: folder.ledger, to: folder.path + "/other", currency: nil)
            }
        }
    }

    /// The audit of years takes minutes, during which cards must be charged.
    @Test("A long read does not hold up writers and does not see what they write")
    func isReadAtLengthWhileOthersWrite() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open(busyLimit: .milliseconds(20))
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let gate = Gate()
            let reading = Task {
                try await ledger.readWithoutBlocking { rows throws(LedgerError) in
                    let before = try rows.operations(on: .first).count
                    start.yield()
                    gate.wait()
                    return (before, try rows.operations(on: .first).count)
                }
            }
            for await _ in started { break }
            try await till.complete(.pay(.cents(1)), id: 2)
            #expect(try await till.balance() == 999)
            gate.open()
            #expect(try await reading.value == (1, 1))
            #expect(try await ledger.audit().operations == 2)
        }
    }

    /// A cashier's requests, each at least once.
    private static func work(at till: LedgerTill) async throws {
        let (third, fourth, fifth) = (CardUID.numbered(3), CardUID.numbered(4), CardUID.numbered(5))
        try await till.complete(.issue(), id: 1)
        try await till.complete(.issue(), id: 2, on: .second)
        try await till.complete(.add(.cents(20)), id: 3)
        let paid = try await till.complete(.pay(.cents(100)), id: 4)
        try await till.complete(.refund(of: paid.id, nil), id: 5)
        try await till.complete(.ticket(.sample(1), .cents(50)), id: 6)
        try await till.complete(.claim(Ticket.sample(1).id, .cents(30)), id: 7)
        try await till.complete(.ticket(.sample(2), .cents(50)), id: 8)
        _ = try await till.payOut(40, of: .sample(2), id: 9)
        try await till.complete(.scratch(.numbered(77)), id: 10)
        try await till.ask(for: 11)
        try await till.answer(11)
        try await till.complete(.activate, id: 11)
        let adopted = CardPlan.sample(.adopt(message: []), scratch: .scratched(.numbered(79)))
        try await till.complete(.make(adopted), id: 12, on: fifth)
        try await till.complete(.issue(), id: 13, on: third)
        try await till.complete(.ticket(.sample(4), .cents(50)), id: 14, on: third)
        try await till.complete(
            .make(.sample(.replace(lost: third), balance: 0)), id: 15, on: fourth)
        try await till.complete(.close, id: 16, on: fourth)
        #expect(try await till.ledger.ticketsGivenUp(by: .numbered(16)).count == 1)
        for uid in [CardUID.first, third, fourth] {
            #expect(try await till.ledger.tickets(of: uid) != nil)
            _ = try await till.ledger.knownCard(of: uid, holding: [.none])
        }
        _ = try await till.ledger.owner(ofRecord: [UInt8](repeating: 1, count: 16))
        _ = try await till.ledger.change(.second, .block, id: .numbered(17), at: .end)
        _ = try await till.ledger.read { rows throws(LedgerError) in
            try rows.activations(on: .first, or: .numbered(77), since: .tick(0)).count
                + rows.operations(on: .first, last: 20).count
        }
    }
}

/// Holds up a thread that may block.
private final class Gate: Sendable {
    private let lock = DispatchSemaphore(value: 0)
    func wait() { lock.wait() }
    func open() { lock.signal() }
}
