import PN532Emulator
import SimulatedReader
import Tags
import Testing
import TextCodecs

@Suite("Faults of an emulated reader")
struct EmulatorFaultTests {
    private static let write: [UInt8] = [0x40, 0x01, 0xA2, 0x10, 1, 2, 3, 4]
    private static let read: [UInt8] = [0x40, 0x01, 0x30, 0x10]
    private static let new = Page(1, 2, 3, 4)
    private static let zeros = [UInt8](repeating: 0, count: 12)

    /// A chip that has selected the tag, with this fault armed.
    private static func bench(_ fault: String) throws -> EmulatorBench {
        var bench = EmulatorBench()
        #expect(bench.send(EmulatorBench.list)?.first == 0x01)
        _ = try bench.control("fault \(fault)")
        return bench
    }

    @Test(
        "A fault that takes the card away leaves its page as the fault says",
        arguments: [
            ("lost", .zero), ("acknowledge-lost", new), ("torn old", .zero), ("torn new", new),
            ("torn zero", .zero), ("torn new-lowest 1", Page(0, 0, 0, 4)),
            ("torn new-highest 1", Page(1, 0, 0, 0)), ("torn old-lowest 3", .zero),
        ] as [(String, Page)])
    func gone(kind: String, content: Page) throws {
        var bench = try Self.bench("write 1 \(kind)")
        #expect(bench.send(Self.write) == [0x01])
        #expect(bench.send([0x32, 0x05, 0x00, 0x01, 0x02]) == [])
        #expect(bench.send(EmulatorBench.list) == [0x00])
        #expect(bench.page(0x10) == content)
        _ = try bench.control("present")
        #expect(bench.send(EmulatorBench.list)?.first == 0x01)
        #expect(bench.send(Self.write) == [0x00])
    }

    @Test("A card pulled after its answer has written the page and is gone")
    func pulledAfter() throws {
        var bench = try Self.bench("write 1 pulled-after")
        #expect(bench.send(Self.write) == [0x00])
        #expect(bench.page(0x10) == Self.new)
        #expect(bench.send(Self.read) == [0x01])
    }

    @Test("A garbled answer is an error, and the card stays")
    func garbled() throws {
        var bench = try Self.bench("write 1 garbled")
        #expect(bench.send(Self.write) == [0x02])
        #expect(bench.page(0x10) == Self.new)
        #expect(bench.send(Self.read) == [0x00, 1, 2, 3, 4] + Self.zeros)
        _ = try bench.control("fault frame 1 garbled")
        #expect(bench.send(Self.read) == [0x02])
        // Without the chip's check the wrong bytes come through.
        #expect(bench.send([0x08, 0x63, 0x03, 0x00]) == [])
        _ = try bench.control("fault frame 1 garbled")
        let bytes = Array(bench.send([0x42, 0x30, 0x10])?.dropFirst() ?? [])
        #expect(RadioCRC.stripped(from: bytes) == nil)
        #expect(bytes.prefix(4) == [1, 2, 3, 4])
    }

    @Test("A late answer is not heard, and the card stays")
    func late() throws {
        var bench = try Self.bench("write 1 late")
        #expect(bench.send(Self.write) == [0x01])
        #expect(bench.page(0x10) == Self.new)
        #expect(bench.send(Self.read) == [0x00, 1, 2, 3, 4] + Self.zeros)
    }

    @Test("A refused write gets a NAK, and the card must be selected again")
    func refused() throws {
        var bench = try Self.bench("write 2 refused 5")
        #expect(bench.send([0x40, 0x01, 0xA2, 0x11, 1, 2, 3, 4]) == [0x00])
        #expect(bench.send([0x08, 0x63, 0x03, 0x00]) == [])
        #expect(bench.send([0x42, 0xA2, 0x10, 1, 2, 3, 4]) == [0x00, 0x05])
        #expect(bench.page(0x10) == .zero)
        #expect(bench.send(Self.read) == [0x01])
    }

    @Test("A fault of one of two cards leaves the other alone")
    func oneOfTwo() throws {
        var bench = try Self.bench("write 1 lost")
        _ = try bench.control("add NTAG215")
        #expect(bench.send(Self.write) == [0x01])
        #expect(bench.emulation.simulation.onReader.count == 1)
    }

    @Test("An answer lost on the line leaves the page written")
    func loseReply() throws {
        var bench = try Self.bench("data 1 lose-reply")
        #expect(bench.raw(EmulatorBench.frame(Self.write)) == EmulatorBench.acknowledge)
        #expect(bench.page(0x10) == Self.new)
        #expect(bench.send(Self.read)?.first == 0x00)
    }

    @Test("A late answer comes before the next one, and a stale one in its place")
    func lateReply() throws {
        let first = EmulatorBench.answer([0x41, 0x00] + [UInt8](repeating: 0, count: 16))
        let second = EmulatorBench.answer([0x41, 0x00])
        var bench = try Self.bench("data 1 late-reply")
        #expect(bench.raw(EmulatorBench.frame(Self.read)) == EmulatorBench.acknowledge)
        #expect(
            bench.raw(EmulatorBench.frame(Self.write)) == first + EmulatorBench.acknowledge + second
        )
        bench = try Self.bench("data 1 stale-reply")
        #expect(bench.raw(EmulatorBench.frame(Self.read)) == EmulatorBench.acknowledge)
        #expect(
            bench.raw(EmulatorBench.frame(Self.write)) == EmulatorBench.acknowledge + first + second
        )
        #expect(bench.send(Self.read)?.prefix(2) == [0x00, 1])
    }

    @Test("Line faults spoil the bytes, the length, the status or the acknowledge of an answer")
    func wrong() throws {
        var bench = try Self.bench("data 1 corrupt")
        var parser = HostFrameParser()
        let bytes = bench.raw(EmulatorBench.frame(Self.read)).dropFirst(
            EmulatorBench.acknowledge.count)
        #expect(bytes.count == EmulatorBench.answer([0x41, 0x00]).count + 16)
        for byte in bytes { #expect(parser.take(byte) == nil) }
        _ = try bench.control("fault data 1 shorter")
        #expect(bench.send(Self.read) == [0x00] + [UInt8](repeating: 0, count: 15))
        _ = try bench.control("fault data 1 longer")
        #expect(bench.send(Self.read) == [0x00] + [UInt8](repeating: 0, count: 17))
        _ = try bench.control("fault data 1 status 255")
        #expect(bench.send(Self.read)?.first == 0xFF)
        _ = try bench.control("fault data 1 lose-ack")
        let read = EmulatorBench.answer([0x41, 0x00] + [UInt8](repeating: 0, count: 16))
        #expect(bench.raw(EmulatorBench.frame(Self.read)) == read)
        #expect(bench.send(Self.read)?.first == 0x00)
    }

    @Test("A stalled chip resumes with the commands that arrived meanwhile")
    func stall() throws {
        var bench = try Self.bench("data 1 stall")
        #expect(
            bench.raw(EmulatorBench.frame(Self.write) + EmulatorBench.frame([0x02]))
                == EmulatorBench.acknowledge)
        #expect(bench.raw(EmulatorBench.frame([0x04])).isEmpty)
        #expect(
            try bench.control("resume").output.flatMap(\.bytes)
                == EmulatorBench.answer([0x41, 0x00]) + EmulatorBench.acknowledge
                + EmulatorBench.answer([0x03, 0x32, 0x01, 0x06, 0x07]) + EmulatorBench.acknowledge
                + EmulatorBench.answer([0x05, 0x00, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x80]))
        _ = try bench.control("stall")
        #expect(bench.raw(EmulatorBench.frame([0x02])).isEmpty)
        #expect(try bench.control("resume").output.count(where: { !$0.bytes.isEmpty }) == 2)
        #expect(try bench.control("resume").output.isEmpty)
    }

    @Test("A line fault occurs at the chosen command", arguments: 1...3)
    func countdown(number: Int) throws {
        var bench = try Self.bench("command \(number) lose-reply")
        for command in 1...4 {
            #expect((bench.send([0x02]) == nil) == (command == number))
        }
        bench = try Self.bench("data \(number) lose-reply")
        for command in 1...4 {
            #expect(bench.send([0x02]) != nil)
            #expect((bench.send(Self.read) == nil) == (command == number))
        }
    }

    @Test(
        "A line fault is written as it was read",
        arguments: [
            "command 1 lose-reply", "data 2 late-reply", "data 1 stale-reply", "command 3 corrupt",
            "data 1 shorter", "data 1 longer", "data 1 status 255", "command 1 lose-ack",
            "command 9 stall", "data 1 unplug",
        ])
    func text(fault: String) {
        #expect(LinkFault(fault)?.description == fault)
    }

    @Test(
        "Text that is not a line fault is refused",
        arguments: [
            "", "data", "data 1", "data 0 corrupt", "data -1 corrupt", "data 01 corrupt",
            "data 1 status", "data 1 status 256", "data 1 corrupt 3", "host 1 corrupt",
            "data 1 garbled", "data 1 status 7 7", "data 99999999999999999999 corrupt",
        ])
    func noFault(text: String) {
        #expect(LinkFault(text) == nil)
    }
}
