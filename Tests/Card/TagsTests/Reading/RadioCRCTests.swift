import Tags
import Testing

@Suite("The CRC of a frame on the air")
struct RadioCRCTests {
    /// The two examples of the standard's annex, and the frames of READ 00h, HALT and GET_VERSION
    /// as every reader sends them.
    static let vectors: [([UInt8], [UInt8])] = [
        ([0x00, 0x00], [0xA0, 0x1E]), ([0x12, 0x34], [0x26, 0xCF]),
        ([0x30, 0x00], [0x02, 0xA8]), ([0x50, 0x00], [0x57, 0xCD]), ([0x60], [0xF8, 0x32]),
    ]

    @Test("is that of ISO/IEC 14443 type A", arguments: vectors)
    func value(frame: [UInt8], expected: [UInt8]) {
        #expect(RadioCRC.bytes(of: frame) == expected)
        #expect(RadioCRC.bytes(of: frame).count == RadioCRC.length)
    }

    @Test("of nothing is what the standard begins with")
    func empty() {
        #expect(RadioCRC.bytes(of: []) == [0x63, 0x63])
    }

    @Test("is appended to a frame and taken off again", arguments: vectors)
    func both(frame: [UInt8], expected: [UInt8]) {
        #expect(RadioCRC.appended(to: frame) == frame + expected)
        #expect(RadioCRC.stripped(from: frame + expected) == frame)
    }

    @Test("that is wrong in one bit is not a CRC", arguments: 0..<32)
    func wrongBit(bit: Int) {
        var frame = RadioCRC.appended(to: [0x30, 0x00])
        frame[bit / 8] ^= 1 << (bit % 8)
        #expect(RadioCRC.stripped(from: frame) == nil)
    }

    @Test("needs something in front of it", arguments: [[], [0x63], [0x63, 0x63]] as [[UInt8]])
    func nothing(frame: [UInt8]) {
        #expect(RadioCRC.stripped(from: frame) == nil)
    }
}
