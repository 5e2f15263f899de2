import PN532Emulator
import Testing

@Suite("Commands that wait for a card")
struct EmulatorWaitingTests {
    private static let found = EmulatorBench.answer(
        [0x4B, 0x01, 0x01, 0x00, 0x44, 0x00, 0x07] + EmulatorBench.uid)

    /// A chip that waits for a card on an empty reader.
    private static func waiting(_ command: [UInt8] = EmulatorBench.list) throws -> EmulatorBench {
        var bench = EmulatorBench()
        _ = try bench.control("remove")
        #expect(bench.raw(EmulatorBench.frame(command)) == EmulatorBench.acknowledge)
        return bench
    }

    @Test("A waiting command is answered once, when the tag arrives")
    func comes() throws {
        var bench = try Self.waiting()
        #expect(try bench.control("present").output.flatMap(\.bytes) == Self.found)
        _ = try bench.control("remove")
        #expect(try bench.control("present").output.isEmpty)
    }

    @Test("A card of another kind does not end the wait")
    func otherKind() throws {
        var bench = try Self.waiting([0x4A, 0x01, 0x01, 0x00, 0xFF, 0xFF, 0x01, 0x00])
        #expect(try bench.control("present").output.isEmpty)
    }

    @Test("An endless InAutoPoll waits for a card")
    func autoPoll() throws {
        var bench = try Self.waiting([0x60, 0xFF, 0x01, 0x10])
        let answer = EmulatorBench.answer(
            [0x61, 0x01, 0x10, 0x0C, 0x01, 0x00, 0x44, 0x00, 0x07] + EmulatorBench.uid)
        #expect(try bench.control("present").output.flatMap(\.bytes) == answer)
    }

    @Test("An ACK from the host ends the wait without an answer")
    func aborted() throws {
        var bench = try Self.waiting()
        #expect(bench.raw(EmulatorBench.acknowledge).isEmpty)
        #expect(try bench.control("present").output.isEmpty)
        #expect(bench.send([0x02]) != nil)
    }

    @Test("Another command ends the wait and is answered itself")
    func replaced() throws {
        var bench = try Self.waiting()
        #expect(bench.send([0x02]) == [0x32, 0x01, 0x06, 0x07])
        #expect(try bench.control("present").output.isEmpty)
    }

    @Test(
        "No tag ends the wait of a chip that acts as a card or tests its field",
        arguments: [[0x8C, 0x00], [0x58, 0x00]] as [[UInt8]])
    func forever(command: [UInt8]) throws {
        var bench = try Self.waiting(command)
        #expect(try bench.control("present").output.isEmpty)
        #expect(bench.send([0x02]) != nil)
    }
}
