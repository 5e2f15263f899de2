import Tags
import Testing

@Suite("Lock bits of a Type 2 tag") struct LockTests {
    private static let data = Page(0xFF, 0xFF, 0xFF, 0xFF)

    /// The pages that each dynamic lock bit locks, in the order of the bits.
    private static func runs(_ chip: Type2Chip) -> [ClosedRange<UInt8>] {
        switch chip {
        case .ntag213:
            [
                16...17, 18...19, 20...21, 22...23, 24...25, 26...27, 28...29, 30...31, 32...33,
                34...35, 36...37, 38...39,
            ]
        case .ntag215:
            [16...31, 32...47, 48...63, 64...79, 80...95, 96...111, 112...127, 128...129]
        case .ntag216:
            [
                16...31, 32...47, 48...63, 64...79, 80...95, 96...111, 112...127, 128...143,
                144...159, 160...175, 176...191, 192...207, 208...223, 224...225,
            ]
        default: preconditionFailure("add the lock bits of \(chip)")
        }
    }

    private func word(_ bit: Int) -> (UInt8, UInt8) {
        bit < 8 ? (1 << bit, 0) : (0, 1 << (bit - 8))
    }

    /// The pages from 3 to the last user page that refuse to be written.
    private func locked(_ bench: TagBench) -> [UInt8] {
        (3...bench.memory.chip.userPages.upperBound).filter { page in
            var copy = bench
            return copy.sendAfterSelecting(.write(page, Self.data)) == TagBench.refused
        }
    }

    @Test("Each static lock bit locks its page", arguments: Type2Chip.known, 0..<16)
    func eachStaticBitLocksItsPage(_ chip: Type2Chip, _ bit: Int) throws {
        var bench = try TagBench(chip)
        let (low, high) = word(bit)
        #expect(bench.send(.write(2, Page(0, 0, low, high))) == .ack)
        #expect(bench.memory[2] == Page(0x24, 0x48, low, high))
        #expect(locked(bench) == (bit < 3 ? [] : [UInt8(bit)]))
    }

    @Test("Static lock bits cannot be cleared")
    func staticBitsAreNeverCleared() throws {
        var bench = try TagBench(.ntag213)
        #expect(bench.send(.write(2, Page(0xFF, 0xFF, 0x50, 0x81))) == .ack)
        #expect(bench.send(.write(2, Page(0x00, 0x00, 0x20, 0x00))) == .ack)
        #expect(bench.memory[2] == Page(0x24, 0x48, 0x70, 0x81))
        #expect(locked(bench) == [4, 5, 6, 8, 15])
    }

    @Test(
        "Static block-locking bits freeze their lock bits",
        arguments: [
            (0b001, Page(0x24, 0x48, 0xF7, 0xFF)), (0b010, Page(0x24, 0x48, 0x0F, 0xFC)),
            (0b100, Page(0x24, 0x48, 0xFF, 0x03)), (0b111, Page(0x24, 0x48, 0x07, 0x00)),
        ] as [(UInt8, Page)])
    func staticBlocksFreezeTheirLocks(_ blocks: UInt8, _ result: Page) throws {
        var bench = try TagBench(.ntag213)
        #expect(bench.send(.write(2, Page(0, 0, blocks, 0))) == .ack)
        #expect(bench.send(.write(2, Self.data)) == .ack)
        #expect(bench.memory[2] == result)
    }

    @Test("Block-locking bits do not affect the write that sets them")
    func blocksDoNotFreezeTheWriteThatSetsThem() throws {
        var bench = try TagBench(.ntag213)
        #expect(bench.send(.write(2, Self.data)) == .ack)
        #expect(bench.memory[2] == Page(0x24, 0x48, 0xFF, 0xFF))
        #expect(bench.send(.write(0x28, Page(0xFF, 0x0F, 0x3F, 0))) == .ack)
        #expect(bench.memory[0x28] == Page(0xFF, 0x0F, 0x3F, 0xBD))
        #expect(locked(bench) == Array(3...0x27))
    }

    @Test("Each dynamic lock bit locks its pages", arguments: Type2Chip.known)
    func eachDynamicBitLocksItsPages(_ chip: Type2Chip) throws {
        let page = try #require(chip.dynamicLockPage)
        let runs = Self.runs(chip)
        #expect(runs.flatMap { Array($0) } == Array(16...chip.userPages.upperBound))
        for (bit, run) in runs.enumerated() {
            var bench = try TagBench(chip)
            let (low, high) = word(bit)
            #expect(bench.send(.write(page, Page(low, high, 0, 0))) == .ack)
            #expect(bench.memory[page] == Page(low, high, 0, 0xBD))
            #expect(locked(bench) == Array(run))
        }
    }

    @Test("Dynamic lock bits cannot be cleared", arguments: Type2Chip.known)
    func dynamicBitsAreNeverCleared(_ chip: Type2Chip) throws {
        let page = try #require(chip.dynamicLockPage)
        var bench = try TagBench(chip)
        #expect(bench.send(.write(page, Page(0x05, 0x00, 0x08, 0xFF))) == .ack)
        #expect(bench.send(.write(page, Page(0x02, 0x01, 0x00, 0x00))) == .ack)
        #expect(bench.memory[page] == Page(0x07, 0x01, 0x08, 0xBD))
    }

    @Test("Dynamic block-locking bits freeze their lock bits", arguments: Type2Chip.known)
    func dynamicBlocksFreezeTheirLocks(_ chip: Type2Chip) throws {
        let page = try #require(chip.dynamicLockPage)
        let runs = Self.runs(chip)
        for block in 0..<runs.count / 2 {
            var bench = try TagBench(chip)
            #expect(bench.send(.write(page, Page(0, 0, 1 << block, 0))) == .ack)
            #expect(locked(bench) == [])
            #expect(bench.send(.write(page, Self.data)) == .ack)
            let free = runs[2 * block].lowerBound...runs[2 * block + 1].upperBound
            #expect(locked(bench) == (16...chip.userPages.upperBound).filter { !free.contains($0) })
        }
    }

    @Test("Lock pages and the capability container are protected by the password")
    func lockPagesAreProtectedLikeOthers() throws {
        var bench = try TagBench(.ntag213)
        try bench.configure(from: 2, access: 0)
        for page: UInt8 in [2, 3, 0x28] {
            #expect(bench.sendAfterSelecting(.write(page, Self.data)) == TagBench.refused)
        }
        #expect(bench.memory[2] == Page(0x24, 0x48, 0, 0))
    }
}
