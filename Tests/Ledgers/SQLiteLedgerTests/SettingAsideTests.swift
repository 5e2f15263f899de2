import Glibc
import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import Testing

/// A ledger is taken out of use before it moves into a database.
@Suite("Taking a ledger out of use") struct SettingAsideTests {
    @Test("A ledger that is taken out of use keeps every row under another name")
    func keepsEveryRowUnderAnotherName() async throws {
        try await TestFolder.temporary { folder in
            let path = "\(folder.path)/ledger.sqlite"
            let ledger = try await folder.open()
            try await LedgerTill(ledger).complete(.issue(), id: 1)
            let snapshot = try await Snapshot(of: ledger)
            let inUse = await #expect(throws: LedgerError.self) {
                _ = try await SQLiteLedger.setAside(path)
            }
            #expect(inUse?.kind == .locked)
            await ledger.close()
            let aside = try await SQLiteLedger.setAside(path)
            #expect(folder.names.allSatisfy { $0 != "ledger.sqlite" })
            let kept = try await SQLiteLedger.open(path: aside, currency: nil)
            #expect(try await Snapshot(of: kept) == snapshot)
            // A run that was killed has left its journal and other files.
            for name in ["-wal", "-shm", ".v7-backup", ".into"] {
                let file = unsafe open(aside + name, O_CREAT | O_WRONLY, 0o600)
                try #require(file >= 0 && close(file) == 0)
            }
            #expect(try await SQLiteLedger.setAside(path) == aside)
        }
    }

    @Test("A missing ledger and a symbolic link are not taken out of use")
    func refusesWhatIsNoLedger() async throws {
        try await TestFolder.temporary { folder in
            let path = "\(folder.path)/ledger.sqlite"
            await #expect(throws: LedgerError.self) { _ = try await SQLiteLedger.setAside(path) }
            await (try await folder.open()).close()
            let link = "\(folder.path)/link.sqlite"
            try #require(unsafe symlink(path, link) == 0)
            await #expect(throws: LedgerError.self) { _ = try await SQLiteLedger.setAside(link) }
            #expect(folder.names.contains("ledger.sqlite"))
        }
    }
}
