import Glibc
import PN532Emulator
import TestSupport
import Testing

/// `read --watch` or the process that drives its reader is killed during the resolution of a
/// payment that was cut short.
@Suite("A watch killed at a system call", .ownThread)
struct KilledWatchTests {
    private static let killed: Int32 = 128 + SIGKILL

    @Test("The next tap resolves a payment after the watch is killed at a call to the ledger")
    func watch() throws {
        let till = try WatchedTill(calls: "ledger")
        let step = Thoroughness.step(6, usual: 18)
        var count = 0
        for number in stride(from: 1, through: till.calls, by: step) {
            let process = try till.start(.killBefore, at: number)
            #expect(try process.end().status == Self.killed, "call \(number)")
            try till.resolve("call \(number)")
            count += 1
        }
        #expect(count == (till.calls + step - 1) / step)
        // The journal is begun, and two transactions reach the disk behind it, before anybody is
        // told. How many pages they write depends on how the rows lie.
        #expect(till.met.filter { $0.name == "create" && $0.path.hasSuffix("-wal") }.count == 1)
        #expect(till.met.filter { $0.name == "sync" && $0.path.hasSuffix("-wal") }.count == 3)
        #expect(till.met.filter { $0.name == "write" && $0.path.hasSuffix("-wal") }.count > 20)
    }

    @Test("A watch resolves a payment even if its reader process is killed at a write")
    func driver() throws {
        let till = try WatchedTill(calls: "reader")
        let step = Thoroughness.step(6, usual: 18)
        var count = 0
        for number in stride(from: WatchedTill.opening + 1, through: till.calls, by: step) {
            let process = try till.start(.killBefore, at: number)
            try till.tapAgainWhereAsked(process, "call \(number)")
            try process.wait("a line, call \(number)") { try process.output.hasSuffix("\n") }
            process.signal(SIGINT)
            #expect(try process.end().status == 128 + SIGINT, "call \(number)")
            #expect(till.wasMet, "call \(number)")
            try till.resolve("call \(number)")
            count += 1
        }
        #expect(count >= 18 / step)
    }
}

/// A till at which a payment was cut short, and a watch that finds it.
private final class WatchedTill {
    /// The reader is open after this many writes. A watch whose reader cannot be opened ends.
    static let opening = 15

    /// The number of calls a watch makes until it has resolved the payment and said so.
    let calls: Int
    /// Those calls in order.
    let met: [KillSwitch.Call]
    private let counted: String
    private let station: EmulatedTill
    private let start: EmulatedTill.Snapshot
    private let killSwitch: KillSwitch

    init(calls counted: String) throws {
        let station = try EmulatedTill()
        let killSwitch = try KillSwitch(station.till, reader: station.reader.devicePath)
        (self.counted, self.station, self.killSwitch) = (counted, station, killSwitch)
        try station.till.step("issue --balance 20")
        // In the middle of the frames that write the record.
        let before = try station.snapshot()
        let reader = killSwitch.variables(calls: "reader")
        let whole = try station.till.runPatiently("pay 1", with: reader) {
            _ = try killSwitch.takeLog()
        }
        #expect(whole.status == 0)
        let frames = try killSwitch.takeLog().counted
        try station.restore(before)
        let cut = killSwitch.variables(.killBefore, at: frames - 9, calls: "reader")
        let ended = try station.till.runPatiently("pay 1", with: cut) {
            try station.restore(before)
        }
        #expect(ended.status == 137)
        #expect(try station.till.step("audit --json").contains(#""open":1"#))
        start = try station.snapshot()
        let process = try station.till.start(
            ["read", "--watch"], with: killSwitch.variables(calls: counted))
        try process.wait("it has resolved") { try process.output.hasSuffix("\n") }
        process.signal(SIGINT)
        #expect(try process.end().status == 128 + SIGINT)
        let log = try killSwitch.takeLog()
        met = Array(log.prefix { $0.kind != "told" })
        calls = met.map(\.number).max() ?? 0
    }

    private var claim: String { station.till.file("claim") }

    /// Whether a process has reached the call.
    var wasMet: Bool { unsafe access(claim, F_OK) == 0 }

    /// Starts a watch until one has its reader or was killed before. One without a reader ends at
    /// once.
    func start(_ action: KillSwitch.Action, at number: Int) throws -> ChildProcess {
        for _ in 0..<Till.mostTries {
            try station.restore(start)
            _ = unsafe unlink(claim)
            let process = try station.till.start(
                ["read", "--watch", "--verbose"],
                with: killSwitch.variables(action, at: number, calls: counted, once: claim))
            let hasReader = try ChildProcess.poll {
                try process.hasEnded() || process.errors.contains("waiting for a card")
            }
            guard hasReader, process.hasEnded(), try process.end().isWithoutReader else {
                return process
            }
        }
        throw ChildProcess.Failure(what: "no reader, however often", number: EIO)
    }

    /// If resolving was cut short, the watch asks for another tap, so the card is tapped again.
    func tapAgainWhereAsked(_ process: ChildProcess, _ what: Comment) throws {
        try process.wait(what) {
            try process.output.hasSuffix("\n") || process.errors.contains("Tap the card again")
        }
        guard try !process.output.hasSuffix("\n") else { return }
        func waits() throws -> Int { try process.errors.ranges(of: "waiting for a card").count }
        let before = try waits()
        station.tell("remove")
        try process.wait("it waits again, \(what)") { try waits() > before }
        station.tell("present")
    }

    /// The next tap finds the payment made or not made, and nothing open.
    func resolve(_ what: Comment) throws {
        try station.waitUntilFree()
        let read = try station.till.runPatiently("read --json")
        #expect(read.status == 0, "\(what): \(read.output)")
        let found = Change.Found(in: read.output)
        #expect(found == Change.pay.before || found == Change.pay.after, "\(what): \(read.output)")
        let audit = try station.till.step("audit --json")
        #expect(audit.contains(#""open":0,"violations":[]"#), "\(what): \(audit)")
    }
}
