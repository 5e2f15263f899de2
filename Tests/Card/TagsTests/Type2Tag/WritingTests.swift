import Tags
import Testing

@Suite("Writing to a simulated Type 2 tag") struct WritingTests {
    private let data = Page(0x12, 0x34, 0x56, 0x78)

    @Test("Every user page can be written", arguments: Type2Chip.known)
    func writesEveryUserPage(_ chip: Type2Chip) throws {
        var bench = try TagBench(chip)
        for page in chip.userPages {
            #expect(bench.send(.write(page, data)) == .ack)
            #expect(bench.memory[page] == data)
        }
        #expect(bench.memory.pages.filter { $0 == data }.count == chip.userPages.count)
    }

    @Test(
        "Writes to the serial number or beyond the last page are refused",
        arguments: Type2Chip.known)
    func neverWritesTheSerialNumberOrBeyondTheEnd(_ chip: Type2Chip) throws {
        var bench = try TagBench(chip)
        let before = bench.memory
        for page in [0, 1, UInt8(chip.pageCount), 0xFF] {
            #expect(bench.sendAfterSelecting(.write(page, data)) == TagBench.refused)
            #expect(bench.sendAfterSelecting(.compatibilityWrite(page)) == TagBench.refused)
        }
        #expect(bench.memory == before)
    }

    @Test("Writes to the capability container only set bits")
    func onlySetsBitsOfTheCapability() throws {
        var bench = try TagBench(.ntag213)
        #expect(bench.send(.write(3, Page(0x00, 0x01, 0x00, 0x0F))) == .ack)
        #expect(bench.memory[3] == Page(0xE1, 0x11, 0x12, 0x0F))
        #expect(bench.send(.write(3, .zero)) == .ack)
        #expect(bench.memory[3] == Page(0xE1, 0x11, 0x12, 0x0F))
    }

    @Test("COMPATIBILITY_WRITE writes the first four of its sixteen bytes")
    func writesTheFirstFourOfSixteenBytes() throws {
        var bench = try TagBench(.ntag213)
        #expect(bench.send(.compatibilityWrite(5)) == .ack)
        let before = bench.memory
        let frame = data.bytes + [UInt8](repeating: 0xEE, count: 12)
        #expect(bench.side.answer(frame, &bench.memory) == .ack)
        #expect(bench.memory[5] == data)
        bench.memory[5] = before[5]
        #expect(bench.memory == before)
        // The write is over: the same bytes are a frame of their own again.
        #expect(bench.side.answer(frame, &bench.memory) == TagBench.refused)
    }

    @Test(
        "COMPATIBILITY_WRITE data of the wrong length is refused",
        arguments: Array(0..<16) + [17, 32])
    func refusesDataOfAnotherLength(_ length: Int) throws {
        var bench = try TagBench(.ntag213)
        let before = bench.memory
        #expect(bench.send(.compatibilityWrite(5)) == .ack)
        let frame = [UInt8](repeating: 0x60, count: length)
        #expect(bench.side.answer(frame, &bench.memory) == TagBench.refused)
        #expect(bench.memory == before)
        #expect(bench.sendAfterSelecting(.getVersion) != TagBench.refused)
    }

    @Test("Selecting the tag again cancels a COMPATIBILITY_WRITE")
    func forgetsAWriteWhenSelectedAgain() throws {
        var bench = try TagBench(.ntag213)
        let before = bench.memory
        #expect(bench.send(.compatibilityWrite(5)) == .ack)
        bench.select()
        let frame = Type2Command.compatibilityData(data)
        #expect(bench.side.answer(frame, &bench.memory) == TagBench.refused)
        #expect(bench.memory == before)
    }

    @Test("COMPATIBILITY_WRITE can set lock bits")
    func setsLockBitsByCompatibilityWriteToo() throws {
        var bench = try TagBench(.ntag213)
        #expect(bench.send(.compatibilityWrite(2)) == .ack)
        let frame = Type2Command.compatibilityData(Page(0xFF, 0xFF, 0x10, 0))
        #expect(bench.side.answer(frame, &bench.memory) == .ack)
        #expect(bench.memory[2] == Page(0x24, 0x48, 0x10, 0))
        #expect(bench.send(.compatibilityWrite(4)) == TagBench.refused)
    }

    @Test("A write to the PACK page keeps only two bytes", arguments: Type2Chip.known)
    func keepsTwoBytesOfPACK(_ chip: Type2Chip) throws {
        var bench = try TagBench(chip)
        let page = try #require(chip.configurationPage) + 3
        #expect(bench.send(.write(page, data)) == .ack)
        #expect(bench.memory[page] == Page(0x12, 0x34, 0, 0))
    }
}
