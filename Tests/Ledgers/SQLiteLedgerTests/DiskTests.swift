import Glibc
import Ledger
import LedgerConformance
import SQLiteLedger
import TapcardDomain
import Testing

/// Limits that hold for a whole process, so each test runs in a process of its own.
@Suite("Disks that refuse to read or write") struct DiskTests {
    @Test("A ledger in a read-only file is refused as read-only")
    func aFileThatMayOnlyBeRead() async {
        await #expect(processExitsWith: .success) {
            try await TestFolder.temporary { folder in
                try await folder.open().close()
                unsafe chmod(folder.ledger, 0o444)
                try await asNobody(folder) {
                    await #expect(throws: LedgerError(.readOnly, "")) { try await folder.open() }
                }
            }
        }
    }

    @Test("A ledger in a read-only folder is refused as read-only")
    func aFolderThatMayOnlyBeRead() async {
        await #expect(processExitsWith: .success) {
            try await TestFolder.temporary { folder in
                try await folder.open().close()
                unsafe chmod(folder.ledger, 0o666)
                unsafe chmod(folder.path, 0o555)
                try await asNobody(folder) {
                    await #expect(throws: LedgerError(.readOnly, "")) { try await folder.open() }
                    await #expect(throws: LedgerError(.readOnly, "")) {
                        try await SQLiteLedger.open(path: folder.path + "/new", currency: nil)
                    }
                }
                unsafe chmod(folder.path, 0o755)
            }
        }
    }

    /// A program that was killed leaves its journal, with the newest rows in it.
    @Test(
        "A read-only ledger can be read and backed up, but not changed", arguments: [false, true])
    func aLedgerThatMayOnlyBeLookedAt(hasJournal: Bool) async {
        await #expect(processExitsWith: .success) { [hasJournal] in
            try await TestFolder.temporary { folder in
                let open = try await folder.copied(hasJournal: hasJournal)
                for name in folder.names { unsafe chmod("\(folder.path)/\(name)", 0o444) }
                unsafe chmod(folder.path, 0o555)
                let names = folder.names
                #expect(names.count == (hasJournal ? 3 : 1))
                try await TestFolder.temporary { elsewhere in
                    unsafe chmod(elsewhere.path, 0o777)
                    try await asNobody(folder) {
                        let found = try await SQLiteLedger.open(
                            path: folder.ledger, currency: nil, allowsReadOnly: true)
                        #expect(found.isReadOnly)
                        #expect(try await LedgerTill(found).knownCard().open == open.operation)
                        #expect(try await found.audit().violations == [])
                        await #expect(throws: LedgerError(.readOnly, "")) {
                            try await LedgerTill(found).confirm(open)
                        }
                        await #expect(throws: LedgerError(.readOnly, "")) {
                            try await found.requireWritable()
                        }
                        let before = try await Snapshot(of: found)
                        try await found.backup(to: elsewhere.backup)
                        let copy = try await SQLiteLedger.open(
                            path: elsewhere.backup, currency: nil)
                        #expect(try await Snapshot(of: copy) == before)
                        await copy.close()
                        await found.close()
                    }
                }
                #expect(folder.names == names)
                unsafe chmod(folder.path, 0o755)
            }
        }
    }

    @Test("A ledger that may not be read is unavailable")
    func aFileThatMayNotEvenBeRead() async {
        await #expect(processExitsWith: .success) {
            try await TestFolder.temporary { folder in
                try await folder.open().close()
                unsafe chmod(folder.ledger, 0o600)
                unsafe chmod(folder.path, 0o755)
                try await asNobody(folder) {
                    await #expect(throws: LedgerError(.unavailable, "")) {
                        try await SQLiteLedger.open(
                            path: folder.ledger, currency: nil, allowsReadOnly: true)
                    }
                }
            }
        }
    }

    /// A file that is read without locks, because no program seemed to write it.
    @Test("A ledger that is read without locks and then written is reported as locked")
    func aLedgerThatIsWrittenWhileItIsLookedAt() async {
        await #expect(processExitsWith: .success) {
            try await TestFolder.temporary { folder in
                try await folder.open().close()
                unsafe chmod(folder.ledger, 0o444)
                unsafe chmod(folder.path, 0o555)
                let user = geteuid()
                try await asNobody(folder) {
                    let found = try await SQLiteLedger.open(
                        path: folder.ledger, currency: nil, allowsReadOnly: true)
                    #expect(try await found.read { _ in true })
                    seteuid(user)
                    unsafe chmod(folder.path, 0o755)
                    unsafe chmod(folder.ledger, 0o644)
                    try await LedgerTill(try await folder.open()).complete(.issue(), id: 1)
                    await #expect(throws: LedgerError(.locked, "")) {
                        try await found.read { _ in true }
                    }
                }
            }
        }
    }

    /// Writing stops in the middle of a commit, and the ledger opens the file again to learn the
    /// outcome.
    @Test("A commit that fails halfway has an unknown outcome and can be repeated")
    func aCommitThatFailsHalfWay() async {
        await #expect(processExitsWith: .success) {
            try await TestFolder.temporary { folder in
                let ledger = try await folder.open()
                let till = LedgerTill(ledger)
                try await till.complete(.issue(), id: 1)
                for id in 2..<30 { try await till.complete(.add(.cents(1)), id: id) }
                let open = try await till.open(.pay(.cents(400)), id: 30)
                try await withFilesNoLarger(than: File.size(folder.ledger + "-wal")) {
                    await #expect(throws: LedgerError(.outcomeUnknown, "")) {
                        try await till.confirm(open)
                    }
                }
                #expect(try await till.knownCard().open == open.operation)
                try await till.confirm(open)
                #expect(try await till.balance() == 628)
                #expect(try await ledger.audit().violations == [])
            }
        }
    }

    @Test("A ledger that is gone after a failed commit is unavailable and not created again")
    func aLedgerThatIsGoneAfterwards() async {
        await #expect(processExitsWith: .success) {
            try await TestFolder.temporary { folder in
                let ledger = try await folder.open()
                let till = LedgerTill(ledger)
                try await till.complete(.issue(), id: 1)
                let open = try await till.open(.pay(.cents(400)), id: 2)
                try await withFilesNoLarger(than: 1) {
                    await #expect(throws: LedgerError(.outcomeUnknown, "")) {
                        try await till.confirm(open)
                    }
                }
                for name in folder.names { folder.remove(name) }
                await #expect(throws: LedgerError(.unavailable, "")) { try await till.knownCard() }
                #expect(!File.exists(folder.ledger))
            }
        }
    }
}

extension TestFolder {
    /// Copies the files of a ledger with an open payment, as left by a program that ended well or
    /// was killed.
    fileprivate func copied(hasJournal: Bool) async throws -> OpenOperation {
        try await TestFolder.temporary { original in
            let ledger = try await original.open()
            let till = LedgerTill(ledger)
            try await till.complete(.issue(), id: 1)
            let open = try await till.open(.pay(.cents(400)), id: 2)
            if !hasJournal { await ledger.close() }
            for name in original.names {
                File.write(File.read("\(original.path)/\(name)"), to: "\(path)/\(name)")
            }
            await ledger.close()
            return open
        }
    }
}

/// Root may write everything, so this is done as a user who owns nothing.
private func asNobody(_ folder: TestFolder, _ body: () async throws -> Void) async throws {
    let nobody: uid_t = 65_534
    let user = geteuid()
    if user == 0 { seteuid(nobody) }
    defer { seteuid(user) }
    try await body()
}

/// A write beyond the limit fails, as it does on a broken disk.
private func withFilesNoLarger(
    than bytes: Int, _ body: () async throws -> Void
) async throws {
    var before = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before)
    var limit = before
    limit.rlim_cur = rlim_t(bytes)
    signal(SIGXFSZ, SIG_IGN)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    defer { unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &before) }
    try await body()
}
