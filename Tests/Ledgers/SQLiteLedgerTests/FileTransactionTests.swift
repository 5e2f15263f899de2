import Glibc
import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import Testing

/// Writes that reach the disk, those that do not, and two programs on one ledger.
@Suite("Transactions in a file") struct FileTransactionTests {
    @Test("A payment is two durable transactions")
    func aPaymentIsTwoDurableTransactions() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            let before = await ledger.durableTransactions
            let open = try await till.open(.pay(.cents(400)), id: 2)
            #expect(await ledger.durableTransactions == before + 1)
            try await till.confirm(open)
            #expect(await ledger.durableTransactions == before + 2)
        }
    }

    @Test("A request that changes nothing is not synced to the disk")
    func whatChangesNothingIsNotSynced() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            let till = LedgerTill(ledger)
            let payment = try await till.complete(.issue(), id: 1)
            let before = await ledger.durableTransactions
            _ = try await till.knownCard()
            _ = try await ledger.audit()
            #expect(try await till.refusal(of: .pay(.cents(5000)), id: 2) == .insufficientBalance)
            #expect(try await till.begin(.issue(), id: 1) == .known(payment))
            #expect(try await till.begin(.reseal(above: .none), id: 3, version: nil) == .changed)
            try await ledger.markDisplay(of: .first, stale: false)
            try? await ledger.write { _ throws(LedgerError) in
                throw LedgerError(.unavailable, "on purpose")
            }
            #expect(await ledger.durableTransactions == before)
        }
    }

    /// A commit into a file that is no longer the ledger would be lost.
    @Test(
        "Nothing is committed once the file was moved, removed or replaced",
        arguments: ["moved", "removed", "replaced"])
    func nothingIsCommittedOnceItsFileIsAnother(_ change: String) async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            let copy = File.read(folder.ledger)
            change == "removed"
                ? folder.remove("ledger.sqlite") : folder.rename("ledger.sqlite", "moved")
            if change == "replaced" { File.write(copy, to: folder.ledger) }
            let before = await ledger.durableTransactions
            await #expect(throws: LedgerError(.unavailable, "")) { try await till.confirm(open) }
            #expect(await ledger.durableTransactions <= before)
            if change != "replaced" {
                await #expect(throws: LedgerError(.unavailable, "")) { try await till.knownCard() }
            }
            if change == "moved" {
                folder.rename("moved", "ledger.sqlite")
                try await till.confirm(open)
                #expect(try await till.balance() == 600)
            }
        }
    }

    /// The journal is folded back into the file from time to time, not kept for ever.
    @Test("The journal stays short, and its rows reach the file")
    func theJournalStaysShort() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            for id in 2..<160 { try await till.complete(.add(.cents(1)), id: id) }
            let longest = 1100 * (4096 + 24)
            #expect(File.size(folder.ledger + "-wal") < longest)
            #expect(File.size(folder.ledger) > 30 * 4096)
        }
    }

    @Test("Two stations on one file see each other's operations")
    func twoStationsOnOneFileSeeEachOther() async throws {
        try await TestFolder.temporary { folder in
            let left = LedgerTill(try await folder.open())
            let right = LedgerTill(try await folder.open())
            try await left.complete(.issue(), id: 1)
            let version = CardVersion(try await right.knownCard())
            let open = try await left.open(.pay(.cents(400)), id: 2)
            #expect(try await right.begin(.pay(.cents(700)), id: 3, version: version) == .changed)
            #expect(try await right.begin(.pay(.cents(400)), id: 2) == .known(open.operation))
            try await right.confirm(open)
            #expect(try await left.confirm(open).balanceAfter == 600)
            #expect(try await left.refusal(of: .pay(.cents(700)), id: 4) == .insufficientBalance)
        }
    }

    @Test("Stations that write at once wait for each other")
    func stationsThatWriteAtOnceWaitForEachOther() async throws {
        try await TestFolder.temporary { folder in
            let tills = [LedgerTill(try await folder.open()), LedgerTill(try await folder.open())]
            try await tills[0].complete(.issue(0), id: 1, on: .first)
            try await tills[1].complete(.issue(0), id: 2, on: .second)
            try await withThrowingTaskGroup { group in
                for (index, uid) in [CardUID.first, .second].enumerated() {
                    group.addTask {
                        for id in 1...50 {
                            try await tills[index].complete(
                                .add(.cents(1)), id: 1000 * (index + 1) + id, on: uid)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await tills[1].balance(of: .cash) == -100)
            #expect(try await tills[0].ledger.audit().violations == [])
        }
    }

    @Test("A writer in another program locks out writers but not readers")
    func aWriterElsewhereLocksOutWritersOnly() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open(busyLimit: .milliseconds(20))
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            let other = try RawDatabase(folder.ledger)
            other.run("BEGIN IMMEDIATE")
            await #expect(throws: LedgerError(.locked, "")) {
                try await till.open(.pay(.cents(1)), id: 2)
            }
            #expect(try await till.balance() == 1000)
            other.run("ROLLBACK")
            try await till.complete(.pay(.cents(1)), id: 2)
        }
    }

    @Test("A full disk changes nothing, and the request succeeds once there is room")
    func aFullDiskChangesNothing() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            try await ledger.limit(pages: 1)
            let before = try await Snapshot(of: ledger)
            let message = [UInt8](repeating: 7, count: 20_000)
            await #expect(throws: LedgerError(.full, "")) {
                try await till.open(.make(.sample(.adopt(message: message))), id: 2, on: .second)
            }
            #expect(try await Snapshot(of: ledger) == before)
            try await ledger.limit(pages: 100_000)
            try await till.complete(.make(.sample(.adopt(message: message))), id: 2, on: .second)
        }
    }
}
