import Glibc
import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import Testing

@Suite("Backing up and restoring a ledger") struct BackupTests {
    @Test("A backup of a ledger in use has every row")
    func hasEveryRowOfALedgerInUse() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            let open = try await LedgerTill(ledger).open(.pay(.cents(1)), id: 9)
            try await ledger.backup(to: folder.backup)
            #expect(File.mode(folder.backup) == 0o600)
            #expect(!File.exists(folder.backup + "-wal"))

            let copy = try await SQLiteLedger.open(path: folder.backup, currency: .usd)
            #expect(try await Snapshot(of: copy) == Snapshot(of: ledger))
            try await LedgerTill(ledger).confirm(open)
        }
    }

    /// Names that mean something in a URI, which SQLite accepts as a name as well.
    @Test(
        "A backup can have any name, even one with a meaning in a URI",
        arguments: ["a?b", "a#b", "50%25", "a?\u{301}", "a b"])
    func canHaveAnyName(_ name: String) async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.path + "/" + name)
            await ledger.close()
            #expect(folder.names == [name, "ledger.sqlite"])
            let restoration = try await SQLiteLedger.restore(
                from: folder.path + "/" + name, to: folder.ledger, currency: nil)
            let kept = folder.ledger + ".before-restore-1"
            #expect(restoration == Restoration(exhausted: [], stopped: [], kept: kept))
        }
    }

    @Test("A backup overwrites no file")
    func overwritesNothing() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            File.write([1, 2, 3], to: folder.backup)
            await #expect(throws: LedgerError(.unavailable, "")) {
                try await ledger.backup(to: folder.backup)
            }
            await #expect(throws: LedgerError(.unavailable, "")) {
                try await ledger.backup(to: folder.ledger)
            }
            await #expect(throws: LedgerError(.unavailable, "")) {
                try await ledger.backup(to: folder.path + "/no/backup")
            }
            #expect(File.read(folder.backup) == [1, 2, 3])
            #expect(folder.names.count == 4)
        }
    }

    @Test("A restored ledger skips numbers, and the ledger it replaced is kept")
    func comesBackWithAGapInTheNumbers() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            let backedUp = try await Snapshot(of: ledger)
            try await LedgerTill(ledger).complete(.pay(.cents(300)), id: 10)
            await ledger.close()
            let lost = File.read(folder.ledger)

            #expect(try await folder.restore() == [])
            #expect(
                folder.names == ["backup", "ledger.sqlite", "ledger.sqlite.before-restore-1"])
            #expect(File.read(folder.ledger + ".before-restore-1") == lost)
            #expect(File.mode(folder.ledger) == 0o600)

            let restored = try await folder.open()
            let till = LedgerTill(restored)
            #expect(try await Snapshot(of: restored).entries == backedUp.entries)
            let known = try await till.knownCard()
            let before = try #require(backedUp.cards.first?.allocated)
            #expect(known.card.allocated == before.next(restoreGap))
            #expect(known.isInGap(try #require(before.next())))
            try await till.complete(.pay(.cents(1)), id: 11)
            #expect(try await restored.audit().violations == [])
        }
    }

    @Test("After a restore, every till waits to be confirmed, even one that was removed since")
    func suspendsTills() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            let name = try TillName("Bar 1")
            let code = EnrolledTill.Code(
                hash: [UInt8](repeating: 1, count: 32), expires: Timestamp(milliseconds: 1))
            _ = try await ledger.addTill(name, isTrusted: false, code: code, at: .end)
            try await ledger.backup(to: folder.backup)
            _ = try await ledger.removeTill(name, at: .end)
            await ledger.close()
            _ = try await SQLiteLedger.restore(
                from: folder.backup, to: folder.ledger, currency: nil)
            let restored = try await SQLiteLedger.open(path: folder.ledger, currency: .usd)
            let tills = try await restored.read { rows throws(LedgerError) in try rows.tills() }
            #expect(tills.map(\.isSuspended) == [true])
        }
    }

    @Test("A backup can be restored to an empty place and more than once")
    func comesBackToAnEmptyPlaceAndAgainAndAgain() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            await ledger.close()
            folder.remove("ledger.sqlite")
            for number in 0..<3 {
                #expect(try await folder.restore() == [])
                #expect(folder.names.count == 2 + number)
            }
            #expect(folder.names.last == "ledger.sqlite.before-restore-2")
        }
    }

    @Test("Restoring names the cards whose numbers are used up")
    func namesTheCardsWhoseNumbersAreUsedUp() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            let above = try #require(SequenceNumber(SequenceNumber.last - restoreGap))
            try await LedgerTill(ledger).complete(.make(.sample(above: above)), id: 9, on: .second)
            try await ledger.backup(to: folder.backup)
            await ledger.close()
            #expect(try await folder.restore() == [.second])
        }
    }

    /// The block stands only in the journal that a killed program has left.
    @Test("Restoring names the cards that were blocked since the backup")
    func namesTheCardsThatWereStoppedSince() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await LedgerTill(ledger).complete(.issue(), id: 9, on: .second)
            _ = try await ledger.change(.second, .block, id: .numbered(10), at: .end)
            try await ledger.backup(to: folder.backup)
            _ = try await ledger.change(.first, .block, id: .numbered(11), at: .end)
            let file = File.read(folder.ledger)
            let journal = File.read(folder.ledger + "-wal")
            await ledger.close()
            File.write(file, to: folder.ledger)
            File.write(journal, to: folder.ledger + "-wal")
            let stopped = Restoration.Stopped(uid: .first, status: .blocked)
            #expect(try await folder.restoration().stopped == [stopped])
            #expect(try await folder.restoration().stopped == [])
            File.write([7], to: folder.ledger)
            #expect(try await folder.restoration().stopped == nil)
        }
    }

    @Test("A ledger that is in use is not replaced by a backup")
    func waitsUntilNobodyUsesTheLedger() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            let before = folder.names
            await #expect(throws: LedgerError(.locked, "")) { try await folder.restore() }
            #expect(folder.names == before)
            try await LedgerTill(ledger).complete(.pay(.cents(1)), id: 10)
        }
    }

    /// The operator who has moved the file away may not know which program still has it open.
    @Test("No backup replaces a ledger that was moved away but is still in use")
    func waitsUntilNobodyUsesALedgerThatWasMovedAway() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            folder.rename("ledger.sqlite", "moved")
            await #expect(throws: LedgerError(.locked, "")) { try await folder.restore() }
            #expect(!File.exists(folder.ledger))
            await ledger.close()
            #expect(try await folder.restore() == [])
            #expect(try await folder.open().audit().violations == [])
        }
    }

    /// The last payments of a ledger that was moved away may lie in its journal alone.
    @Test("Restoring keeps the journal of a ledger that is missing")
    func keepsTheJournalOfALedgerThatIsMissing() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            await ledger.close()
            folder.rename("ledger.sqlite", "moved")
            File.write([1, 2, 3], to: folder.ledger + "-wal")
            let restoration = try await SQLiteLedger.restore(
                from: folder.backup, to: folder.ledger, currency: nil)
            let kept = folder.ledger + ".before-restore-1-wal"
            #expect(restoration.kept == kept)
            #expect(File.read(kept) == [1, 2, 3])
            #expect(try await folder.open().audit().violations == [])
        }
    }

    /// Other stations may know the same ledger by its own name.
    @Test("Restoring to a symbolic link replaces the file behind it")
    func replacesTheFileBehindALink() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            let link = folder.path + "/link"
            try #require(unsafe symlink("ledger.sqlite", link) == 0)
            await #expect(throws: LedgerError(.locked, "")) {
                _ = try await SQLiteLedger.restore(from: folder.backup, to: link, currency: nil)
            }
            await ledger.close()
            let restoration = try await SQLiteLedger.restore(
                from: folder.backup, to: link, currency: nil)
            #expect(restoration.kept == folder.ledger + ".before-restore-1")
            #expect(
                folder.names == [
                    "backup", "ledger.sqlite", "ledger.sqlite.before-restore-1", "link",
                ])
        }
    }

    @Test("Restoring removes the files of a killed restore but not those in use")
    func takesAwayWhatAKilledOneHasLeft() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            await ledger.close()
            for suffix in ["", "-wal", "-shm", "-journal"] {
                File.write([1, 2, 3], to: folder.ledger + ".new-a1B2c3" + suffix)
            }
            let kept = folder.ledger + ".new-d4E5f6"
            File.write([1, 2, 3], to: kept)
            let holder = unsafe open(kept, O_RDWR | O_CLOEXEC)
            try #require(flock(holder, LOCK_EX) == 0)
            defer { close(holder) }
            File.write([1, 2, 3], to: folder.path + "/other.sqlite.new-a1B2c3")
            #expect(try await folder.restore() == [])
            #expect(
                folder.names == [
                    "backup", "ledger.sqlite", "ledger.sqlite.before-restore-1",
                    "ledger.sqlite.new-d4E5f6", "other.sqlite.new-a1B2c3",
                ])
        }
    }

    @Test(
        "An unusable backup is refused before anything is touched",
        arguments: ["missing", "empty", "text", "foreign", "cut", "newer", "euro"])
    func isCheckedBeforeAnythingIsTouched(_ fault: String) async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            await ledger.close()
            let kind = try await folder.spoil(fault)
            let live = File.read(folder.ledger)
            let names = folder.names
            await #expect(throws: LedgerError(kind, "")) { try await folder.restore() }
            #expect(File.read(folder.ledger) == live)
            #expect(folder.names == names)
        }
    }

    /// The station sets no currency, so that of the ledger in place counts.
    @Test("A backup in another currency than the ledger in place is refused")
    func keepsTheCurrencyOfTheLedgerInPlace() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            await ledger.close()
            _ = try await folder.spoil("euro")
            await #expect(throws: LedgerError(.wrongCurrency, "")) {
                try await SQLiteLedger.restore(
                    from: folder.backup, to: folder.ledger, currency: nil)
            }
        }
    }

    /// The first command made the empty ledger, so no operator chose its currency.
    @Test("A backup brings its currency to a ledger without cards")
    func bringsItsCurrencyToALedgerWithoutCards() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            await ledger.close()
            folder.remove("ledger.sqlite")
            let empty = try await SQLiteLedger.open(
                path: folder.ledger, currency: Currency(code: "EUR"))
            await empty.close()
            await #expect(throws: LedgerError(.wrongCurrency, "")) {
                try await SQLiteLedger.restore(
                    from: folder.backup, to: folder.ledger, currency: Currency(code: "EUR"))
            }
            _ = try await SQLiteLedger.restore(
                from: folder.backup, to: folder.ledger, currency: nil)
            #expect(try await folder.open().currency == .usd)
        }
    }

    @Test("A backup replaces a ledger that cannot be read")
    func takesThePlaceOfALedgerBeyondReading() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            await ledger.close()
            File.write([UInt8](repeating: 7, count: 5000), to: folder.ledger)
            #expect(try await folder.restore() == [])
            #expect(try await folder.open().audit().cards == 1)
        }
    }

    /// What a killed program left in the journal belongs to the old ledger and would destroy the
    /// new one.
    @Test("Restoring leaves the old journal with the old ledger")
    func leavesTheOldJournalWithTheOldLedger() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            let till = LedgerTill(ledger)
            try await till.complete(.pay(.cents(300)), id: 10)
            let old = try await Snapshot(of: ledger)
            let file = File.read(folder.ledger)
            let journal = File.read(folder.ledger + "-wal")
            await ledger.close()
            File.write(file, to: folder.ledger)
            File.write(journal, to: folder.ledger + "-wal")

            #expect(try await folder.restore() == [])
            let restored = try await folder.open()
            #expect(try await restored.operation(.numbered(10)) == nil)
            #expect(try await restored.audit().violations == [])
            await restored.close()
            let previous = try await SQLiteLedger.open(
                path: folder.ledger + ".before-restore-1", currency: .usd)
            #expect(try await Snapshot(of: previous) == old)
        }
    }

    /// The old ledger was taken away, and the new one was not put in.
    @Test("A restore that was cut short can be repeated")
    func isFinishedAfterItWasCutShort() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.withPayments()
            try await ledger.backup(to: folder.backup)
            let journal = File.read(folder.ledger + "-wal")
            await ledger.close()
            folder.remove("ledger.sqlite")
            File.write(journal, to: folder.ledger + "-wal")
            await #expect(throws: LedgerError(.unavailable, "")) { try await folder.open() }
            #expect(try await folder.restore() == [])
            #expect(try await folder.open().audit().violations == [])
        }
    }
}

extension TestFolder {
    var backup: String { path + "/backup" }

    fileprivate func withPayments() async throws -> SQLiteLedger {
        let ledger = try await open(.usd)
        let till = LedgerTill(ledger)
        try await till.complete(.issue(), id: 1)
        for id in 2..<5 { try await till.complete(.pay(.cents(10)), id: id) }
        return ledger
    }

    fileprivate func restore() async throws(LedgerError) -> [CardUID] {
        try await restoration().exhausted
    }

    fileprivate func restoration() async throws(LedgerError) -> Restoration {
        try await SQLiteLedger.restore(from: backup, to: ledger, currency: .usd)
    }

    /// Damages the backup and returns the error that restoring it must report.
    fileprivate func spoil(_ fault: String) async throws -> LedgerError.Kind {
        let bytes = File.read(backup)
        remove("backup")
        switch fault {
        case "missing": return .unavailable
        case "empty": File.write([], to: backup)
        case "text": File.write(Array("not a ledger".utf8), to: backup)
        case "foreign": try RawDatabase(backup).run("CREATE TABLE song (title TEXT)")
        case "cut": File.write(Array(bytes.prefix(bytes.count - 4096)), to: backup)
        case "newer":
            File.write(bytes, to: backup)
            try RawDatabase(backup).run("PRAGMA user_version = 99")
            return .newer
        case "euro":
            let other = try await SQLiteLedger.open(path: backup, currency: Currency(code: "EUR"))
            await other.close()
            return .wrongCurrency
        default: Issue.record("there is no fault \(fault)")
        }
        return .corrupt
    }
}
