import TestSupport
import Testing

/// The built program on the real libnfc is killed at every call that writes to the ledger or to the
/// reader. Its change has then happened once or not at all, and the next tap finds out which.
@Suite("A program killed at a system call", .ownThread)
struct KilledProgramTests {
    @Test(
        "A payment killed at any system call happens once or not at all",
        arguments: FaultyTill.Next.allCases)
    func payment(next: FaultyTill.Next) throws {
        let till = try FaultyTill(.pay)
        #expect(till.calls.counted >= Change.pay.leastCalls)
        #expect(till.calls.count { $0.kind == "reader" } >= 30)
        let step = Thoroughness.step(next == .read ? 1 : 3, usual: 15)
        let count = try till.play(till.places(every: step), next: next)
        #expect(count >= 2 * (Change.pay.leastCalls / step))
    }

    @Test(
        "A top-up, issuance or payout killed at a system call happens once or not at all",
        .checkOnly,
        arguments: [Change.add, .issue, .close])
    func changes(change: Change) throws {
        let till = try FaultyTill(change)
        #expect(till.calls.counted >= change.leastCalls)
        for next in FaultyTill.Next.allCases {
            let step = Thoroughness.step(next == .read ? 5 : 10)
            let count = try till.play(till.places(every: step, from: step), next: next)
            #expect(count >= 2 * (change.leastCalls / step))
        }
    }

    @Test(
        "An operator's change killed at a system call happens once or not at all", .checkOnly,
        arguments: [Change.protect, .unprotect, .adopt, .replace, .refund])
    func rareChanges(change: Change) throws {
        let till = try FaultyTill(change)
        #expect(till.calls.counted >= change.leastCalls)
        let usual = change.line == Change.protect.line ? 6 : 12
        for next in FaultyTill.Next.allCases {
            let step = Thoroughness.step(next == .read ? usual : 2 * usual)
            let count = try till.play(till.places(every: step, from: step), next: next)
            #expect(count >= 2 * (change.leastCalls / step))
        }
    }

    /// Scratching takes two seconds, so many tills run at a time.
    @Test("A scratch killed at a system call happens once or not at all", .checkOnly)
    func scratching() throws {
        let till = try FaultyTill(.scratch, stations: 16)
        #expect(till.calls.counted >= Change.scratch.leastCalls)
        let step = Thoroughness.step(8)
        let count = try till.play(till.places(every: step, from: step), next: .read)
        #expect(count >= 2 * (Change.scratch.leastCalls / step))
    }

    @Test(
        "A change on a larger chip killed at a system call happens once or not at all", .checkOnly,
        arguments: ["NTAG215", "NTAG216"],
        [Change.pay, .add, .issue, .close])
    func chips(chip: String, change: Change) throws {
        let till = try FaultyTill(change, chip: chip)
        #expect(till.calls.counted >= change.leastCalls)
        let isPayment = change.line == Change.pay.line
        let step = Thoroughness.asked == .prove ? 5 : Thoroughness.step(isPayment ? 5 : 25)
        let count = try till.play(till.places(every: step, from: step), next: .read)
        #expect(count >= 2 * (change.leastCalls / step))
    }
}
