import Glibc
import OperatingSystem
import TestSupport
import Testing

/// A commit that was written but not synced may or may not be in SQLite's journal. Only a program
/// that reads the journal from its beginning can tell, and none does while another keeps it open.
@Suite("A sync that fails while another program has the ledger open", .ownThread, .checkOnly)
struct FailedSyncTests {
    @Test("A top-up reports its outcome truthfully, even after every program is killed")
    func failedSync() throws {
        var said: Set<Int32> = []
        for number in 1...Self.mostSyncs {
            let till = try Till()
            try till.step("issue --balance 20")
            let other = try holder(of: till)
            // No further tap writes anything that would decide it.
            try till.simulation.arm("frame 1 pulled-after")
            let failing = try KillSwitch(till).variables(.fail(EIO), at: number, calls: "sync")
            let ended = try till.run(["add", "5"], with: failing)
            other.signal(SIGKILL)
            _ = try other.end()
            let isBegun = try till.step("history --json").contains(#""kind":"add""#)
            let words: Comment = "sync \(number): \(ended.status) \(ended.output)\(ended.errors)"
            #expect(ended.status == (isBegun ? 6 : 9), words)
            said.insert(ended.status)
            #expect(try till.step("audit --json").contains(#""violations":[]"#), words)
        }
        #expect(said == [6, 9])
    }

    /// More than it takes to begin a top-up.
    private static let mostSyncs = 5

    /// A program that keeps the ledger open and does nothing with it.
    private func holder(of till: Till) throws -> ChildProcess {
        let reader = till.file("other-reader.txt")
        try DurableFile(reader).write(
            Array(try till.text(of: till.simulation.path).utf8), mode: 0o600)
        let process = try till.start(
            ["watch"], with: ["TAPCARD_READER": "sim:\(reader)"])
        try process.wait("it has read the card") {
            try process.output.contains(Till.firstUID)
        }
        return process
    }
}
