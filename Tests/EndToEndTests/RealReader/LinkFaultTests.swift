import TestSupport
import Testing

/// Answers from the reader to libnfc are lost, late, damaged or belong to another command, or the
/// reader is unplugged, at one host command of a payment after another.
@Suite("Cable faults during a payment over libnfc", .ownThread)
struct LinkFaultTests {
    @Test(
        "A payment with a wrong answer at any frame is reported truthfully and resolved",
        arguments: Thoroughness.some(
            [
                "corrupt", "shorter", "longer", "stale-reply", "late-reply", "lose-ack", "status 1",
                "status 39", "status 255",
            ], of: 4))
    func everyFrame(fault: String) throws {
        try FieldTill(link: true).disturb("data", with: fault, atLeast: 10)
    }

    @Test(
        "A payment is resolved after the reader is unplugged at any command",
        .checkOnly)
    func unplugged() throws {
        let till = try FieldTill(link: true)
        try till.disturb("command", with: "unplug", atLeast: 20)
        #expect(till.statuses.contains(6))
        #expect(till.statuses.contains(5))
    }

    @Test(
        "A payment that lost an answer is reported truthfully and resolved",
        arguments: [("lose-reply", 1), ("lose-reply", 4), ("stall", 3)])
    func silent(fault: String, frame: Int) throws {
        let till = try FieldTill(link: true)
        till.station.tell("fault data \(frame) \(fault)")
        try till.payAndResolve("\(fault) at frame \(frame)")
        try till.expectConsistent()
    }
}
