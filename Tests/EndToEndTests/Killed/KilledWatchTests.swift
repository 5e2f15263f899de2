import Glibc
import PN532Emulator
import TestSupport
import Testing
import TextCodecs

/// `tapcard serve` or the process that drives its reader is killed while it resolves an interrupted
/// payment.
@Suite("A server killed while it reads a card", .ownThread)
struct KilledWatchTests {
    @Test("The next tap resolves a payment after the server is killed at a call to the ledger")
    func server() throws {
        let till = try WatchedTill(calls: "ledger")
        let step = Thoroughness.step(6, usual: 18)
        for number in stride(from: 1, through: till.calls, by: step) {
            let variables = try till.prepare(killAt: number)
            let process = try till.station.till.start(["serve"], with: variables)
            #expect(try process.end().status == 128 + SIGKILL, "call \(number)")
            try till.resolve("call \(number)")
        }
        // The journal is created, and two transactions are on disk, before the payment is reported.
        // The number of pages that they write depends on the positions of the rows.
        #expect(till.met.filter { $0.name == "create" && $0.path.hasSuffix("-wal") }.count == 1)
        #expect(till.met.filter { $0.name == "sync" && $0.path.hasSuffix("-wal") }.count == 3)
        #expect(till.met.filter { $0.name == "write" && $0.path.hasSuffix("-wal") }.count > 20)
    }

    @Test("A server resolves a payment even if its reader process is killed at a write")
    func driver() throws {
        let till = try WatchedTill(calls: "reader")
        let step = Thoroughness.step(6, usual: 18)
        for number in stride(from: 1, through: till.calls, by: step) {
            let variables = try till.prepare(killAt: number)
            let page = try CashierPage(till.station.till, with: variables)
            try page.process.wait("the reader process is killed, call \(number)") { till.wasMet }
            try till.tapUntilRead(page, "call \(number)")
            try page.stop()
            try till.resolve("call \(number)")
        }
        // Opening the reader, reading the card, and writing its record.
        #expect(till.calls >= 29)
    }
}

/// A till with an interrupted payment, and a server that finds the payment.
private final class WatchedTill {
    /// The number of calls a server makes until it has resolved the payment and reported it.
    let calls: Int
    /// Those calls in order.
    let met: [KillSwitch.Call]
    let station: EmulatedTill
    private let counted: String
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
        let page = try CashierPage(station.till, with: killSwitch.variables(calls: counted))
        let card = try page.card("it has resolved") { WatchedTill.isRead($0) }
        met = try killSwitch.takeLog()
        calls = met.counted
        #expect(card["read"]?["resolved"]?.array?.count == 1)
        try page.stop()
    }

    private static func isRead(_ card: JSONValue) -> Bool {
        card["read"]?["uid"] != nil && card["problem"] == .null
    }

    private var claim: String { station.till.file("claim") }

    /// Whether a process has reached the call.
    var wasMet: Bool { unsafe access(claim, F_OK) == 0 }

    /// Restores everything, and returns the variables that kill one process at this call.
    func prepare(killAt number: Int) throws -> [String: String?] {
        try station.restore(start)
        _ = unsafe unlink(claim)
        return killSwitch.variables(.killBefore, at: number, calls: counted, once: claim)
    }

    /// If the resolution was interrupted, the page asks for another tap, so taps the card again.
    func tapUntilRead(_ page: CashierPage, _ what: Comment) throws {
        let card = try page.card(what) { WatchedTill.isRead($0) || $0["problem"] != .null }
        guard !WatchedTill.isRead(card) else { return }
        station.tell("remove")
        try page.card("the card is gone, \(what)") { $0["session"] == .null }
        station.tell("present")
        try page.card("it is read again, \(what)") { WatchedTill.isRead($0) }
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
