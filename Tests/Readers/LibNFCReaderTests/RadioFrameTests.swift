import LibNFCReader
import Tags
import Testing

@Suite("Frames and answers on the air")
struct RadioFrameTests {
    @Test(
        "Four bits are an ACK or a NAK with its number", arguments: 0...0x0F as ClosedRange<UInt8>)
    func nibbles(bits: UInt8) throws {
        let answer = try TagAnswer([bits])
        #expect(answer == (bits == 0x0A ? .acknowledged : .refused(bits)))
    }

    @Test(
        "A single byte of more than four bits is not an answer",
        arguments: [0x10, 0x1A, 0xA0, 0xFF] as [UInt8])
    func strayByte(byte: UInt8) {
        #expect(throws: ReaderError(.garbled)) { try TagAnswer([byte]) }
    }

    private static let content: [UInt8] = [0x04, 0xAC, 0x6B, 0x4B, 0x0A]
    private static let whole = content + RadioCRC.bytes(of: content)

    @Test("Data is returned without its CRC")
    func data() throws {
        #expect(try TagAnswer(Self.whole) == .data(Self.content))
    }

    @Test("An answer that ends too early is garbled", arguments: 0..<whole.count)
    func truncated(length: Int) {
        // The first byte alone, 04h, is the NAK of the same number: on the air it would be.
        guard length != 1 else { return }
        #expect(throws: ReaderError(.garbled)) { try TagAnswer(Self.whole.prefix(length)) }
    }

    @Test("An answer with one wrong bit is garbled", arguments: 0..<(whole.count * 8))
    func wrongBit(bit: Int) {
        var answer = Self.whole
        answer[bit / 8] ^= 1 << (bit % 8)
        #expect(throws: ReaderError(.garbled)) { try TagAnswer(answer) }
    }
}
