import Testing

/// Answers between the reader and libnfc that are lost, late, damaged or of another command, and a
/// reader that is unplugged, at one host command of a payment after the other.
@Suite("A payment over libnfc that meets a fault of the cable")
struct LinkFaultTests {
    /// More than any payment needs.
    private static let mostCommands = 80

    @Test(
        "an answer that is wrong, at every frame to the tag",
        arguments: [
            "corrupt", "shorter", "longer", "stale-reply", "late-reply", "lose-ack", "status 1",
            "status 39", "status 255",
        ])
    func everyFrame(fault: String) throws {
        try disturb("data", with: fault, atLeast: 10)
    }

    @Test("a reader that is unplugged, at every command; plugged in again, the next tap settles")
    func unplugged() throws {
        let desk = try disturb("command", with: "unplug", atLeast: 20)
        #expect(desk.statuses.contains(6))
        #expect(desk.statuses.contains(5))
    }

    @Test(
        "an answer that never comes is a time-out, and settled",
        arguments: [("lose-reply", 1), ("lose-reply", 4), ("stall", 3)])
    func silent(fault: String, frame: Int) throws {
        let desk = try Desk(link: true)
        desk.station.tell("fault data \(frame) \(fault)")
        try desk.payAndSettle("\(fault) at frame \(frame)")
        try desk.expectConsistent()
    }

    /// Stops at the first fault that a whole payment did not reach.
    @discardableResult
    private func disturb(
        _ counted: String, with fault: String, atLeast least: Int
    ) throws -> Desk {
        let desk = try Desk(link: true)
        var met = 0
        for number in 1...Self.mostCommands {
            desk.station.tell("fault \(counted) \(number) \(fault)")
            try desk.payAndSettle("\(fault) at \(counted) \(number)")
            if !desk.station.tell("status").contains(#""faults":[]"#) { break }
            met += 1
        }
        #expect(met >= least)
        #expect(met < Self.mostCommands)
        try desk.expectConsistent()
        return desk
    }
}
