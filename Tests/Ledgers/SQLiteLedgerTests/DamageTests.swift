import Glibc
import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import Testing

/// Files that are no longer a ledger or never were one.
@Suite("A damaged ledger") struct DamageTests {
    @Test("An empty file is refused and stays empty")
    func isNotAnEmptyFile() async throws {
        try await TestFolder.temporary { folder in
            File.write([], to: folder.ledger)
            await #expect(throws: LedgerError(.corrupt, "")) { try await folder.open() }
            #expect(File.size(folder.ledger) == 0)
        }
    }

    @Test("A text file is refused")
    func isNotAText() async throws {
        try await TestFolder.temporary { folder in
            File.write(
                Array(String(repeating: "not a ledger\n", count: 700).utf8), to: folder.ledger)
            await #expect(throws: LedgerError(.corrupt, "")) { try await folder.open() }
        }
    }

    /// Some bytes of a header mean nothing. No damaged byte may cause a crash, a hang, or a lost
    /// row.
    @Test("A ledger with a damaged header is refused or has every row")
    func isToldByItsHeader() async throws {
        try await TestFolder.temporary { folder in
            let sound = try await folder.filled()
            let snapshot = try await Snapshot(of: try await folder.open())
            var refused: Set<Int> = []
            for index in 0..<100 {
                var bytes = sound
                bytes[index] ^= 0xFF
                folder.put(bytes)
                do {
                    let ledger = try await folder.open(busyLimit: .milliseconds(20))
                    #expect(try await Snapshot(of: ledger) == snapshot, "byte \(index)")
                    await ledger.close()
                } catch {
                    refused.insert(index)
                }
            }
            let magic = Set(0..<16)
            let applicationID = Set(68..<72)
            let version = Set(60..<64)
            #expect(refused.isSuperset(of: magic.union(applicationID).union(version)))
        }
    }

    @Test("Damage to any page is found")
    func isToldByItsPages() async throws {
        try await TestFolder.temporary { folder in
            let sound = try await folder.filled()
            for page in 0..<(sound.count / 4096) {
                var bytes = sound
                let start = page == 0 ? 100 : page * 4096
                for index in start..<(start + 8) { bytes[index] ^= 0x5A }
                folder.put(bytes)
                let error = await #expect(throws: LedgerError(.corrupt, ""), "page \(page)") {
                    try await folder.open().checkStorage()
                }
                #expect(error?.detail.contains("in database main") == false, "page \(page)")
            }
        }
    }

    @Test("A ledger that is cut off at any length is found to be damaged")
    func isToldByItsLength() async throws {
        try await TestFolder.temporary { folder in
            let sound = try await folder.filled()
            for length in stride(from: 1, to: sound.count, by: 2048) {
                folder.put(Array(sound.prefix(length)))
                await #expect(throws: LedgerError(.corrupt, ""), "\(length) bytes") {
                    try await folder.open().checkStorage()
                }
            }
        }
    }

    @Test(
        "A row with an invalid value is refused",
        arguments: [
            "UPDATE card SET holder_name = ''", "UPDATE card SET status = 'lost'",
            "UPDATE card SET face = 'round'", "UPDATE card SET uid = 'XXXXXXXXXXXXXX'",
            "UPDATE card SET scratch_code = NULL, scratch = 'scratched'",
            "UPDATE card SET holder_id = 0", "UPDATE card SET allocated = 99999999",
            "UPDATE card SET chip = CAST(x'FF' AS TEXT)",
        ])
    func isToldByItsRows(_ change: String) async throws {
        try await TestFolder.temporary { folder in
            _ = try await folder.filled()
            let raw = try RawDatabase(folder.ledger)
            raw.run("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
            #expect(raw.run(change) == nil)
            await #expect(throws: LedgerError(.corrupt, "")) {
                let ledger = try await folder.open()
                _ = try await ledger.read { rows throws(LedgerError) in try rows.cards() }
            }
        }
    }

    /// The text of a subject is read by the kind of its operation.
    @Test(
        "A subject that does not fit the kind of its operation is refused",
        arguments: [
            "UPDATE operation SET subject = 'ticket-1' WHERE kind = 'pay'",
            "UPDATE operation SET subject = 'scratched' WHERE kind = 'scratch'",
            "UPDATE operation SET subject = upper(subject) WHERE kind = 'scratch'",
            "UPDATE operation SET kind = 'game' WHERE kind = 'scratch'",
        ])
    func isToldByASubjectOfAnotherKind(_ change: String) async throws {
        try await TestFolder.temporary { folder in
            _ = try await folder.filled()
            let raw = try RawDatabase(folder.ledger)
            raw.run("DROP TRIGGER operation_keeps_its_parameters")
            #expect(raw.run(change) == nil)
            let ledger = try await folder.open()
            await #expect(throws: LedgerError(.corrupt, "")) {
                try await ledger.read { rows throws(LedgerError) in
                    try rows.operations(on: .first, last: 10)
                }
            }
            await #expect(throws: LedgerError(.corrupt, "")) { try await ledger.audit() }
        }
    }

    /// A newer tapcard may have written what looks like a chip's name.
    @Test(
        "An unknown chip is named with its card, and may come from a newer version",
        arguments: [
            ("NTAG210", LedgerError.Kind.newer), ("ntag213", .corrupt), ("NTAG213 ", .corrupt),
            ("", .corrupt),
        ])
    func namesAChipThatIsNotKnown(_ name: String, _ kind: LedgerError.Kind) async throws {
        try await TestFolder.temporary { folder in
            _ = try await folder.filled()
            let raw = try RawDatabase(folder.ledger)
            #expect(raw.run("UPDATE card SET chip = '\(name)'") == nil)
            let error = await #expect(throws: LedgerError(kind, "")) {
                let ledger = try await folder.open()
                _ = try await ledger.read { rows throws(LedgerError) in try rows.cards() }
            }
            #expect(error?.detail.contains("card \(CardUID.first) has the chip model") == true)
            #expect(error?.detail.contains("\"\(name)\"") == true)
        }
    }
}

extension TestFolder {
    /// The bytes of a ledger with a card and a payment in it, closed.
    func filled() async throws -> [UInt8] {
        let ledger = try await open()
        let till = LedgerTill(ledger)
        try await till.complete(.issue(), id: 1)
        try await till.complete(.pay(.cents(450)), id: 2)
        try await till.complete(.scratch(.numbered(7)), id: 3)
        try await till.ask(for: 4)
        // The last page has a row at its end: what is cut off there is missed.
        try await ledger.retire([9], at: .end)
        try await ledger.note(
            JournalReport(id: .numbered(5), written: 1, duration: .seconds(1), limit: 1), at: .end)
        let product = Product(id: .numbered(6), name: try SaleText("Coffee"), price: 350)
        try await ledger.write { rows throws(LedgerError) in try rows.save(product) }
        _ = try await CustomerLedger(ledger).raise(try #require(ReadCounter(1)), of: .first)
        try await till.openShift(8)
        _ = try await ledger.book(.cash(9, -100))
        let hash = { [UInt8](repeating: $0, count: 32) }
        _ = try await ledger.addTill(
            try TillName("Bar 1"), isTrusted: false,
            code: EnrolledTill.Code(hash: hash(1), expires: .end), at: .end)
        _ = try await ledger.enroll(codeHash: hash(1), tokenHash: hash(2), at: .tick(1))
        try await ledger.add(
            CashierSession(
                token: hash(3), cookie: hash(4), till: EnrolledTill.firstNumber, cashier: .ann,
                login: hash(5), opened: .end, used: .end), after: .tick(0))
        await ledger.close()
        return File.read(self.ledger)
    }

    /// Puts other bytes in the place of the ledger, without a journal.
    func put(_ bytes: [UInt8]) {
        for name in names { remove(name) }
        File.write(bytes, to: ledger)
    }
}
