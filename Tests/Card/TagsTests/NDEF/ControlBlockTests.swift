import Tags
import Testing

@Suite("Control blocks")
struct ControlBlockTests {
    @Test("a block of another length is refused", arguments: [0, 1, 2, 4])
    func wrongLength(count: Int) throws {
        let value = [UInt8](repeating: 0x11, count: count)
        let lock = try block(tag: 0x01, value)
        let memory = try block(tag: 0x02, value)
        #expect(throws: NDEFError(.badControl)) { try LockControl(lock) }
        #expect(throws: NDEFError(.badControl)) { try MemoryControl(memory) }
    }

    @Test("a block of another kind is refused")
    func wrongKind() throws {
        let lock = try block(tag: 0x01, [0xA0, 0x0C, 0x34])
        let memory = try block(tag: 0x02, [0xA0, 0x0C, 0x34])
        #expect(throws: NDEFError(.badType)) { try LockControl(memory) }
        #expect(throws: NDEFError(.badType)) { try MemoryControl(lock) }
    }

    @Test("every value has its place", arguments: UInt8(0)...255)
    func everyValue(byte: UInt8) throws {
        let lock = try LockControl(block(tag: 0x01, [byte, byte, byte]))
        let memory = try MemoryControl(block(tag: 0x02, [byte, byte, byte]))
        let (upper, lower) = Int(byte).quotientAndRemainder(dividingBy: 16)
        var bytesPerPage = 1
        for _ in 0..<lower { bytesPerPage *= 2 }
        let size = byte == 0 ? 256 : Int(byte)
        #expect(lock.byteAddress == upper * bytesPerPage + lower)
        #expect(lock.bitCount == size)
        #expect(lock.bytes.count * 8 - size >= 0 && lock.bytes.count * 8 - size < 8)
        #expect(memory.bytes.lowerBound == lock.byteAddress)
        #expect(memory.bytes.count == size)
    }

    private func block(tag: UInt8, _ value: [UInt8]) throws -> TLV {
        let area = try TLVArea(decoding: [tag, UInt8(value.count)] + value)
        return try #require(area.blocks.first)
    }
}
