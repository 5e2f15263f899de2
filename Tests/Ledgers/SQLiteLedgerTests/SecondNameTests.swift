import Glibc
import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import Testing

/// SQLite keeps the newest rows next to the name under which a file was opened. Programs that open
/// one ledger under two names would each write where the other does not read.
@Suite("A ledger with a second name") struct SecondNameTests {
    private static func link(_ path: String, _ name: String) throws {
        try #require(unsafe Glibc.link(path, name) == 0)
    }

    @Test("A ledger with two names is neither opened nor taken out of use")
    func isNotOpened() async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            try await LedgerTill(ledger).complete(.issue(), id: 1)
            await ledger.close()
            let other = folder.path + "/other.sqlite"
            try SecondNameTests.link(folder.ledger, other)
            for path in [folder.ledger, other] {
                for allowsReadOnly in [false, true] {
                    let error = await #expect(throws: LedgerError.self) {
                        _ = try await SQLiteLedger.open(
                            path: path, currency: nil, allowsReadOnly: allowsReadOnly)
                    }
                    #expect(error?.kind == .unavailable)
                    #expect(error?.detail.contains("2 hard links") == true)
                    #expect(error?.detail.contains("-samefile \(path)` lists them") == true)
                }
                await #expect(throws: LedgerError.self) {
                    _ = try await SQLiteLedger.setAside(path)
                }
            }
            folder.remove("other.sqlite")
            let again = try await folder.open()
            #expect(try await again.audit().violations == [])
        }
    }

    @Test("A ledger with two names is not opened for reading, even if it cannot be written")
    func isNotShown() async throws {
        try await TestFolder.temporary { folder in
            try await folder.open().close()
            try SecondNameTests.link(folder.ledger, folder.path + "/other.sqlite")
            unsafe chmod(folder.ledger, 0o400)
            let error = await #expect(throws: LedgerError.self) {
                _ = try await SQLiteLedger.open(
                    path: folder.ledger, currency: nil, allowsReadOnly: true)
            }
            #expect(error?.detail.contains("hard links") == true)
        }
    }

    @Test("A symbolic link to a ledger is not a second name")
    func isNoSymbolicLink() async throws {
        try await TestFolder.temporary { folder in
            let till = LedgerTill(try await folder.open())
            try await till.complete(.issue(), id: 1)
            let other = folder.path + "/link.sqlite"
            try #require(unsafe symlink(folder.ledger, other) == 0)
            let second = LedgerTill(try await SQLiteLedger.open(path: other, currency: nil))
            try await till.complete(.pay(.cents(100)), id: 2)
            try await second.complete(.pay(.cents(100)), id: 3)
            #expect(try await till.balance() == 800)
        }
    }

    /// A program that was killed while it made or restored a ledger leaves such names.
    @Test(
        "A second name that a killed program left is removed, and the ledger opens",
        arguments: ["ledger.sqlite.new-a1b2c3", "ledger.sqlite.before-restore-1"])
    func isOpenedWhereAKilledProgramLeftIt(_ name: String) async throws {
        try await TestFolder.temporary { folder in
            let ledger = try await folder.open()
            try await LedgerTill(ledger).complete(.issue(), id: 1)
            try SecondNameTests.link(folder.ledger, "\(folder.path)/\(name)")
            try SecondNameTests.link(folder.ledger + "-wal", "\(folder.path)/\(name)-wal")
            let other = try await folder.open()
            #expect(try await LedgerTill(other).balance() == 1_000)
            #expect(folder.names == ["ledger.sqlite", "ledger.sqlite-shm", "ledger.sqlite-wal"])
            await ledger.close()
            await other.close()
        }
    }

    /// Anybody who can open the lock can keep the ledger from its owner.
    @Test("Only the owner of a ledger can open its lock")
    func hasALockForItsOwnerOnly() async throws {
        try await TestFolder.temporary { folder in
            let lock = folder.path + "/.ledger.sqlite.lock"
            let ledger = try await folder.open()
            #expect(File.mode(lock) == 0o600)
            await ledger.close()
        }
    }
}
