import DurableFile
import Glibc
import Testing
import Thoroughness

/// A commit that was written and not synced is in the ledger's journal or it is not: only who reads
/// the journal from its beginning knows, and nobody does while another program keeps it open.
@Suite("A sync that fails while another program has the ledger open", .ownThread, .checkOnly)
struct FailedSyncTests {
    @Test("what is said of a change is so, also once every program was killed")
    func failedSync() throws {
        var said: Set<Int32> = []
        for number in 1...Self.mostSyncs {
            let counter = try Counter()
            try counter.step("issue --balance 20")
            let other = try holder(of: counter)
            // No further tap writes anything that would decide it.
            try counter.simulation.arm("frame 1 pulled-after")
            let failing = try KillSwitch(counter).variables(.fail(EIO), at: number, calls: "sync")
            let ended = try counter.run(["add", "5"], with: failing)
            other.signal(SIGKILL)
            _ = try other.end()
            let isBegun = try counter.step("history --json").contains(#""kind":"add""#)
            let words: Comment = "sync \(number): \(ended.status) \(ended.output)\(ended.errors)"
            #expect(ended.status == (isBegun ? 6 : 9), words)
            said.insert(ended.status)
            #expect(try counter.step("audit --json").contains(#""violations":[]"#), words)
        }
        #expect(said == [6, 9])
    }

    /// More than it takes to begin an addition.
    private static let mostSyncs = 5

    /// A program that keeps the ledger open and does nothing with it.
    private func holder(of counter: Counter) throws -> ChildProcess {
        let reader = counter.file("other-reader.txt")
        try DurableFile(reader).write(
            Array(try counter.text(of: counter.simulation.path).utf8), mode: 0o600)
        let process = try counter.start(
            ["read", "--watch"], with: ["TAPCARD_READER": "sim:\(reader)"])
        try process.wait("it has read the card") {
            try process.output.contains(Counter.firstUID)
        }
        return process
    }
}
