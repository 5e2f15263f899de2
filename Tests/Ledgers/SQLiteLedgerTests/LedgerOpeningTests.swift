import Glibc
import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import Testing

/// The steps before there is a ledger to work with.
@Suite("Opening a ledger in a file") struct LedgerOpeningTests {
    @Test("A missing ledger is created with access for its owner only")
    func beginsAMissingFileForItsOwnerOnly() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            #expect(ledger.currency == .usd)
            try await LedgerTill(ledger).complete(.issue(), id: 1)
            #expect(
                folder.names == ["ledger.sqlite", "ledger.sqlite-shm", "ledger.sqlite-wal"])
            for name in folder.names { #expect(File.mode("\(folder.path)/\(name)") == 0o600) }
        }
    }

    @Test("A reopened ledger has everything that it had when it was closed")
    func findsEverythingAgain() async throws {
        try await TestFolder.temporary { folder in
            let first = try await folder.open()
            let till = LedgerTill(first)
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            let snapshot = try await Snapshot(of: first)
            await first.close()
            #expect(folder.names == ["ledger.sqlite"])

            let again = try await folder.open()
            #expect(try await Snapshot(of: again) == snapshot)
            try await LedgerTill(again).confirm(open)
            #expect(try await again.audit().violations == [])
        }
    }

    @Test("A closed ledger is unavailable")
    func isOverOnceClosed() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            await ledger.close()
            await #expect(throws: LedgerError(.unavailable, "")) { try await ledger.audit() }
        }
    }

    @Test("A ledger keeps its currency and refuses another one")
    func keepsItsCurrency() async throws {
        try await TestFolder.temporary { folder in
            let euro = try #require(Currency(code: "EUR"))
            try await folder.open(euro).close()
            let found = try await folder.open()
            #expect(found.currency == euro)
            await found.close()
            await #expect(throws: LedgerError(.wrongCurrency, "")) { try await folder.open(.usd) }
        }
    }

    @Test("A path in a missing folder and a path to a folder are refused")
    func needsTheFolder() async throws {
        try await TestFolder.temporary { folder in
            await #expect(throws: LedgerError(.unavailable, "")) {
                try await SQLiteLedger.open(path: folder.path + "/no/ledger", currency: nil)
            }
            await #expect(throws: LedgerError(.unavailable, "")) {
                try await SQLiteLedger.open(path: folder.path, currency: nil)
            }
        }
    }

    /// These names mean a database in memory, or one that is gone once it is closed.
    @Test("A special name of SQLite is the name of a file, which keeps what is written")
    func takesAPathForAPath() async {
        await #expect(processExitsWith: .success) {
            try await TestFolder.temporary { folder in
                try #require(unsafe chdir(folder.path) == 0)
                for name in [":memory:", "file:x?mode=memory"] {
                    let ledger = try await SQLiteLedger.open(path: name, currency: nil)
                    try await LedgerTill(ledger).complete(.issue(1000), id: 1)
                    await ledger.close()
                    let again = try await SQLiteLedger.open(path: name, currency: nil)
                    #expect(try await LedgerTill(again).balance() == 1000)
                    await again.close()
                }
                #expect(folder.names == [":memory:", "file:x?mode=memory"])
                await #expect(throws: LedgerError(.unavailable, "")) {
                    try await SQLiteLedger.open(path: "", currency: nil)
                }
            }
        }
    }

    @Test("A ledger of a later version is refused and not touched")
    func refusesALaterVersionWithoutTouchingIt() async throws {
        try await TestFolder.temporary { folder in
            try await folder.open().close()
            try RawDatabase(folder.ledger).run("PRAGMA user_version = 99")
            let before = File.read(folder.ledger)
            await #expect(throws: LedgerError(.newer, "")) { try await folder.open() }
            #expect(File.read(folder.ledger) == before)
        }
    }

    @Test("The database of another program is refused and not touched")
    func refusesTheDatabaseOfAnotherProgramWithoutTouchingIt() async throws {
        try await TestFolder.temporary { folder in
            try RawDatabase(folder.ledger).run("CREATE TABLE song (title TEXT)")
            let before = File.read(folder.ledger)
            await #expect(throws: LedgerError(.corrupt, "")) { try await folder.open() }
            #expect(File.read(folder.ledger) == before)
            #expect(folder.names == ["ledger.sqlite"])
        }
    }

    @Test("A journal without its ledger is refused and kept")
    func refusesAJournalWithoutItsLedger() async throws {
        try await TestFolder.temporary { folder in
            File.write([], to: folder.ledger + "-wal")
            await #expect(throws: LedgerError(.unavailable, "")) { try await folder.open() }
            #expect(folder.names == ["ledger.sqlite-wal"])
        }
    }

    @Test("A ledger that another tool took out of WAL mode is put back into it")
    func takesALedgerThatAnotherToolHasPutInPlace() async throws {
        try await TestFolder.temporary { folder in
            try await folder.open().close()
            try RawDatabase(folder.ledger).run("PRAGMA journal_mode = DELETE")
            let ledger = try await folder.open()
            try await LedgerTill(ledger).complete(.issue(), id: 1)
            #expect(try RawDatabase(folder.ledger).value("PRAGMA journal_mode") == "wal")
        }
    }

    /// A program that waits while a backup takes the ledger's place must not keep the old file.
    @Test("Opening fails if another file takes the ledger's name in the meantime")
    func noticesThatAnotherFileHasTakenTheName() async throws {
        try await TestFolder.temporary { folder in
            try await folder.open().close()
            var other: RawDatabase? = try RawDatabase(folder.ledger)
            other?.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
            let openFiles = folder.timesOpen
            let opening = Task { try await folder.open(busyLimit: .seconds(60)) }
            for _ in 0..<1_000 where folder.timesOpen == openFiles {
                try await Task.sleep(for: .milliseconds(10))
            }
            try #require(folder.timesOpen > openFiles)
            File.write(File.read(folder.ledger), to: folder.path + "/another")
            unsafe rename(folder.path + "/another", folder.ledger)
            other = nil
            await #expect(throws: LedgerError(.locked, "")) { try await opening.value }
        }
    }

    /// Several first runs at once each switch the new ledger to a write-ahead log.
    @Test("Opening waits while another program switches the journal mode")
    func waitsWhileAnotherProgramSwitchesTheJournal() async throws {
        try await TestFolder.temporary { folder in
            try await folder.open().close()
            let other = try RawDatabase(folder.ledger)
            other.run("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE")
            await #expect(throws: LedgerError(.locked, "")) {
                try await folder.open(busyLimit: .milliseconds(20))
            }
            folder.remove(".ledger.sqlite.lock")
            let opening = Task { try await folder.open(busyLimit: .seconds(60)) }
            // This lock is taken right before the switch.
            for _ in 0..<1_000 where !File.exists(folder.path + "/.ledger.sqlite.lock") {
                try await Task.sleep(for: .milliseconds(5))
            }
            other.run("COMMIT")
            try await opening.value.close()
        }
    }

    @Test("A ledger that another program holds is reported as locked")
    func tellsAHeldLedger() async throws {
        try await TestFolder.temporary { folder in
            try await folder.open().close()
            let other = try RawDatabase(folder.ledger)
            other.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
            await #expect(throws: LedgerError(.locked, "")) {
                try await folder.open(busyLimit: .milliseconds(20))
            }
            other.run("ROLLBACK")
        }
    }
}
