import Glibc
import PN532Emulator
import TestSupport
import Testing

/// Finds bytes and folder entries that a power cut could lose, from the logged system calls.
@Suite("Files on disk before success is reported", .ownThread)
struct DurabilityTests {
    /// False for files that may be lost: SQLite's shared memory, locks and drafts.
    private static func mustLast(_ path: String) -> Bool {
        !(path.hasSuffix("-shm") || path.hasSuffix(".lock") || path.contains(".new"))
    }

    @Test(
        "Every file and folder entry is synced before success is reported",
        arguments: [
            "issue --balance 20", "pay 1", "add 1", "close", "read", "backup ~/copy",
            "restore-backup ~/kept", "keys export ~/keys", "keys rotate",
        ])
    func told(line: String) throws {
        let station = try EmulatedTill()
        let till = station.till
        if !line.hasPrefix("issue") {
            try till.step("issue --balance 20")
            try till.step("backup ~/kept")
        }
        let watched = try KillSwitch(
            till, reader: station.reader.devicePath, files: till.home)
        let ended = try till.run(till.words(of: line), with: watched.variables())
        #expect(ended.status == 0, "\(ended.errors)")
        let calls = try watched.takeLog()
        #expect(calls.contains { $0.kind == "told" })
        #expect(!calls.contains { $0.kind == "stray" })
        #expect(missing(from: calls, at: till.home) == [])
        // A command that only reads has nothing to make last.
        #expect(calls.contains { $0.name == "sync" } == (line != "read"))
        // Without them it would be missed, and as early as the card is written to.
        guard line != "read" else { return }
        let careless = missing(from: calls.filter { $0.name != "sync" }, at: till.home)
        #expect(careless.contains { $0.contains(#"kind: "told""#) })
        let writes = calls.contains { $0.kind == "reader" }
        #expect(careless.contains { $0.contains(#"kind: "reader""#) } == writes)
    }

    /// A descriptor that is closed twice may be another thread's file by the second time.
    @Test(
        "No file is closed twice when another program holds the ledger",
        arguments: [("restore-backup ~/kept", LOCK_SH), ("read", LOCK_EX)])
    func letGoOnce(line: String, hold: Int32) throws {
        let till = try Till()
        try till.step("issue --balance 20")
        try till.step("backup ~/kept")
        let holder = unsafe open("\(till.data)/.ledger.sqlite.lock", O_RDWR | O_CLOEXEC)
        defer { close(holder) }
        try #require(flock(holder, hold) == 0)
        let watched = try KillSwitch(till)
        let ended = try till.run(till.words(of: line), with: watched.variables())
        #expect(ended.status == 9, "\(ended.output)\(ended.errors)")
        let calls = try watched.takeLog()
        #expect(!calls.contains { $0.kind == "stray" })
    }

    /// What a power cut would lose during a write to the card or after a reported success.
    private func missing(from calls: [KillSwitch.Call], at home: String) -> [String] {
        var disk = Disk(home: home)
        var missing: [String] = []
        for call in calls {
            if call.kind == "told" || call.kind == "reader" {
                missing += disk.unsynced.filter(Self.mustLast).map { "\($0), before \(call)" }
            }
            // A folder that is about to be made is not a loss before there is something in it.
            if call.kind == "told" || (call.kind == "reader" && disk.hasSynced) {
                missing += disk.unnamed.filter(Self.mustLast).map { "\($0), before \(call)" }
            }
            disk.note(call)
        }
        return missing
    }

    /// The files that would be missing after a power cut.
    private struct Disk {
        let home: String
        /// Files that were written since they were synced.
        private(set) var unsynced: Set<String> = []
        /// Names that were made since their folder was synced.
        private(set) var unnamed: Set<String> = []
        private(set) var hasSynced = false

        init(home: String) { self.home = home }

        mutating func note(_ call: KillSwitch.Call) {
            guard call.kind == "ledger" else { return }
            switch call.name {
            case "write", "truncate": unsynced.insert(call.path)
            case "sync":
                hasSynced = true
                unsynced.remove(call.path)
                unnamed = unnamed.filter { Disk.folder(of: $0) != call.path }
            case "create", "mkdir": unnamed.insert(call.path)
            case "link": unnamed.insert(call.other)
            case "rename":
                unnamed.remove(call.path)
                unnamed.insert(call.other)
                if unsynced.remove(call.path) != nil { unsynced.insert(call.other) }
            case "unlink":
                unnamed.remove(call.path)
                unsynced.remove(call.path)
            default: break
            }
        }

        private static func folder(of path: String) -> String {
            String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        }
    }
}
