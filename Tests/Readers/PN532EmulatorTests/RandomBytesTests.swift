import PN532Emulator
import SimulatedReader
import Tags
import TestSupport
import Testing

@Suite("Random bytes sent to the emulated chip")
struct RandomBytesTests {
    private static let commands: [UInt8] = [
        0x00, 0x02, 0x04, 0x06, 0x08, 0x0C, 0x0E, 0x10, 0x12, 0x14, 0x32, 0x40, 0x42, 0x44, 0x46,
        0x4A, 0x4E, 0x50, 0x52, 0x54, 0x56, 0x58, 0x60, 0x86, 0x88, 0x8A, 0x8C,
    ]

    @Test(
        "A stream of random bytes is survived, and the next command is answered", arguments: 0..<8)
    func stream(seed: UInt64) {
        var chance = SeededGenerator(seed: seed)
        var bench = EmulatorBench()
        for _ in 0..<200 {
            // Bytes that look like frames are worth more than others.
            let bytes = (0..<64).map { _ in
                Bool.random(using: &chance)
                    ? [0x00, 0xFF, 0xD4][Int.random(in: 0..<3, using: &chance)]
                    : UInt8.random(in: .min ... .max, using: &chance)
            }
            _ = bench.raw(bytes)
        }
        _ = bench.raw([UInt8](repeating: 0, count: HostFrame.maximumDataLength + 10))
        _ = bench.raw(EmulatorBench.wakeUp)
        #expect(bench.send([0x02]) == [0x32, 0x01, 0x06, 0x07])
    }

    @Test(
        "Commands with random data are acknowledged, and the tag keeps its number",
        arguments: 0..<8)
    func commands(seed: UInt64) throws {
        var chance = SeededGenerator(seed: seed)
        var bench = EmulatorBench()
        _ = try bench.control("add NTAG216 classic type4")
        for round in 0..<2_000 {
            let code = Self.commands.randomElement(using: &chance) ?? 0
            let length = Int.random(in: 0..<(round % 50 == 0 ? 263 : 9), using: &chance)
            let data = (0..<length).map { _ in
                Bool.random(using: &chance)
                    ? UInt8.random(in: 0...3, using: &chance)
                    : UInt8.random(in: .min ... .max, using: &chance)
            }
            if round % 3 == 0 {
                _ = bench.send([0x4A, UInt8.random(in: 1...2, using: &chance), 0])
            }
            let answer = bench.raw(EmulatorBench.frame([code] + data))
            #expect(answer.starts(with: EmulatorBench.acknowledge))
            #expect(
                answer.count <= EmulatorBench.acknowledge.count + HostFrame.maximumDataLength + 10)
        }
        #expect(bench.emulation.simulation.tags.map(\.uid).first == EmulatorBench.uid)
        #expect(bench.emulation.simulation.tags.first?[0].bytes == [0x04, 0xAC, 0x6B, 0x4B])
    }
}
