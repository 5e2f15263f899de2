import Tags
import TestSupport
import Testing

@Suite("Random frames to a Type 2 tag") struct RandomFrameTests {
    private static let opcodes: [UInt8] = [
        0x1B, 0x30, 0x39, 0x3A, 0x3C, 0x50, 0x60, 0xA0, 0xA2,
    ]
    private static let lengths: [UInt8: Int] = [0x1B: 5, 0x3A: 3, 0x60: 1, 0xA2: 6]

    @Test(
        "Random frames never change the serial number or clear a one-way bit",
        arguments: Type2Chip.known + [Type2Chip.other(capability: Page(0xE1, 0x10, 6, 0))])
    func neverBreakATag(_ chip: Type2Chip?) throws {
        var random = SeededGenerator(seed: 0x7A9C_A12D)
        var bench = try TagBench(try #require(chip))
        let serial = bench.memory.pages.prefix(2)
        var reached: Set<UInt8> = []
        for _ in 0..<(Thoroughness.asked > .usual ? 10_000 : 3_000) {
            if Int.random(in: 0..<50, using: &random) == 0 { bench.powerCycle() }
            bench.select()
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let before = bench.memory
                let frame = frame(&random)
                let reply = bench.side.answer(frame, &bench.memory)
                if reply != .silence, let opcode = frame.first { reached.insert(opcode) }
                try #require(bench.memory.pages.prefix(2) == serial)
                for page: UInt8 in [2, 3] {
                    try #require(isSuperset(bench.memory[page], of: before[page]))
                }
                try #require((0...7).contains(bench.memory.failedPasswords))
            }
        }
        #expect(reached.isSuperset(of: Self.opcodes.filter { $0 != 0x50 }))
    }

    @Test("Random frames are refused or read as they would be written")
    func neverTrapTheCodec() {
        var random = SeededGenerator(seed: 0x50C0_DEC5)
        for _ in 0..<20_000 {
            let bytes = frame(&random)
            guard let command = try? Type2Command(frame: bytes) else { continue }
            #expect(command.frame == bytes)
        }
    }

    /// A frame that usually begins with a known opcode and often has the right length.
    private func frame(_ random: inout SeededGenerator) -> [UInt8] {
        let opcode = Self.opcodes.randomElement(using: &random) ?? 0
        var bytes = [opcode] + (0..<20).map { _ in small(&random) }
        let length = Bool.random(using: &random) ? Self.lengths[opcode] ?? 2 : nil
        if Int.random(in: 0..<10, using: &random) == 0 { bytes[0] = small(&random) }
        return Array(bytes.prefix(length ?? Int.random(in: 0...20, using: &random)))
    }

    /// A byte that is often small, so that pages and lock bits are often hit.
    private func small(_ random: inout SeededGenerator) -> UInt8 {
        UInt8.random(in: 0...(Bool.random(using: &random) ? 3 : 255), using: &random)
    }

    private func isSuperset(_ new: Page, of old: Page) -> Bool {
        zip(new.bytes, old.bytes).allSatisfy { $0 & $1 == $1 }
    }
}
