import Tags
import TestSupport
import Testing

@Suite("TLV blocks of a data area")
struct TLVAreaTests {
    @Test(
        "A fixture's area has the blocks, or the error, that the fixture describes",
        arguments: try MessageFixture.all(in: "tlv.txt"))
    func blocksAreAsDescribed(_ fixture: MessageFixture) throws {
        if let refusal = fixture.lines.first(where: { $0.word == "refused" }) {
            let error = #expect(throws: NDEFError.self) { try TLVArea(decoding: fixture.bytes) }
            #expect(error.map { "\($0.kind)" } == refusal.rest)
            return
        }
        let area = try TLVArea(decoding: fixture.bytes)
        let blocks = area.blocks.map(description)
        #expect(blocks == fixture.lines.map { "\($0.word) \($0.rest)" })
        #expect(area.message == area.blocks.first { $0.kind == .message })
        for block in area.blocks {
            let range = block.valueOffset..<block.valueOffset + block.value.count
            #expect(Array(fixture.bytes[range]) == block.value)
        }
    }

    @Test(
        "An area cut inside a block is refused, and one cut between blocks is read",
        arguments: try MessageFixture.all(in: "tlv.txt"))
    func truncation(_ fixture: MessageFixture) throws {
        guard let whole = try? TLVArea(decoding: fixture.bytes) else { return }
        // An area may end after a whole block, and only there.
        let ends = Set(whole.blocks.map { $0.valueOffset + $0.value.count })
        for count in fixture.bytes.indices {
            let cut = Array(fixture.bytes.prefix(count))
            if count == 0 || ends.contains(count) || count > (ends.max() ?? 0) {
                let partial = try TLVArea(decoding: cut)
                #expect(whole.blocks.starts(with: partial.blocks))
            } else {
                #expect(throws: NDEFError(.overrun)) { try TLVArea(decoding: cut) }
            }
        }
    }

    @Test(
        "An area with any byte replaced never stops the program",
        arguments: try MessageFixture.all(in: "tlv.txt"))
    func replacedByteNeverTraps(_ fixture: MessageFixture) {
        for index in fixture.bytes.indices.prefix(32) {
            var bytes = fixture.bytes
            for mask in UInt8(1)...255 {
                bytes[index] = fixture.bytes[index] ^ mask
                checkWhatIsRead(bytes)
            }
        }
    }

    @Test("Random bytes never stop the area decoder", arguments: UInt64(1)...8)
    func randomBytesNeverTrap(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var bytes = generator.bytes(Int.random(in: 0...80, using: &generator))
            for index in bytes.indices { bytes[index] %= 8 }
            checkWhatIsRead(bytes)
        }
    }

    @Test(
        "A message written to an area is read back, whatever its length",
        arguments: zip([0, 1, 254, 255, 256, 65_534], [2, 2, 2, 4, 4, 4]))
    func roundTrip(count: Int, valueOffset: Int) throws {
        let message = [UInt8](repeating: 0xFE, count: count)
        let encoded = TLVArea.encoded(message: message)
        let area = try TLVArea(decoding: encoded)
        #expect(area.blocks.map(\.kind) == [.message, .terminator])
        #expect(area.message?.value == message)
        #expect(area.message?.valueOffset == valueOffset)
        #expect(encoded.count == valueOffset + count + 1)
    }

    @Test("An area is written with the documented length formats and a terminator")
    func writtenBytes() {
        #expect(TLVArea.encoded(message: []) == [0x03, 0x00, 0xFE])
        #expect(TLVArea.encoded(message: [0xD0, 0, 0]) == [0x03, 0x03, 0xD0, 0, 0, 0xFE])
        let long = TLVArea.encoded(message: [UInt8](repeating: 7, count: 258))
        #expect(long.prefix(5) == [0x03, 0xFF, 0x01, 0x02, 7])
    }

    @Test("An empty area has no blocks and no message")
    func nothing() throws {
        let area = try TLVArea(decoding: [])
        #expect(area.blocks.isEmpty)
        #expect(area.message == nil)
    }

    @Test("An area longer than the limit is refused")
    func limit() throws {
        let fitting = [0xFE] + [UInt8](repeating: 0, count: TLVArea.maximumByteCount - 1)
        #expect(try TLVArea(decoding: fitting).blocks.count == 1)
        #expect(throws: NDEFError(.tooLong)) { try TLVArea(decoding: fitting + [0]) }
    }

    /// Blocks must follow one another from the first byte, and only a terminator may leave bytes
    /// over.
    private func checkWhatIsRead(_ bytes: [UInt8]) {
        guard let area = try? TLVArea(decoding: bytes) else { return }
        var end = 0
        for block in area.blocks {
            #expect(block.offset == end)
            end = block.valueOffset + block.value.count
        }
        #expect(end == bytes.count || area.blocks.last?.kind == .terminator)
    }

    private func description(of block: TLV) -> String {
        "block \(block.kind) \(block.offset) \(block.valueOffset) \(block.value.count)"
    }
}
