import TestSupport
import Testing

/// Answers between the reader and libnfc that are lost, late, damaged or of another command, and a
/// reader that is unplugged, at one host command of a payment after the other.
@Suite("A payment over libnfc that meets a fault of the cable", .ownThread)
struct LinkFaultTests {
    @Test(
        "an answer that is wrong, at every frame to the tag",
        arguments: Thoroughness.some(
            [
                "corrupt", "shorter", "longer", "stale-reply", "late-reply", "lose-ack", "status 1",
                "status 39", "status 255",
            ], of: 4))
    func everyFrame(fault: String) throws {
        try FieldTill(link: true).disturb("data", with: fault, atLeast: 10)
    }

    @Test(
        "a reader that is unplugged, at every command; plugged in again, the next tap resolves",
        .checkOnly)
    func unplugged() throws {
        let till = try FieldTill(link: true)
        try till.disturb("command", with: "unplug", atLeast: 20)
        #expect(till.statuses.contains(6))
        #expect(till.statuses.contains(5))
    }

    @Test(
        "an answer that never comes is a time-out, and resolved",
        arguments: [("lose-reply", 1), ("lose-reply", 4), ("stall", 3)])
    func silent(fault: String, frame: Int) throws {
        let till = try FieldTill(link: true)
        till.station.tell("fault data \(frame) \(fault)")
        try till.payAndResolve("\(fault) at frame \(frame)")
        try till.expectConsistent()
    }
}
