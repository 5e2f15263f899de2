import Tags
import Testing

@Suite("The CRC of a radio frame")
struct RadioCRCTests {
    /// The two examples of the standard's annex, and the frames of READ 00h, HALT and GET_VERSION.
    static let vectors: [([UInt8], [UInt8])] = [
        ([0x00, 0x00], [0xA0, 0x1E]), ([0x12, 0x34], [0x26, 0xCF]),
        ([0x30, 0x00], [0x02, 0xA8]), ([0x50, 0x00], [0x57, 0xCD]), ([0x60], [0xF8, 0x32]),
    ]

    @Test("The CRC matches the examples of ISO/IEC 14443 type A", arguments: vectors)
    func value(frame: [UInt8], expected: [UInt8]) {
        #expect(RadioCRC.bytes(of: frame) == expected)
        #expect(RadioCRC.bytes(of: frame).count == RadioCRC.length)
    }

    @Test("The CRC of an empty frame is the standard's initial value")
    func empty() {
        #expect(RadioCRC.bytes(of: []) == [0x63, 0x63])
    }

    @Test("A CRC is appended to a frame and removed again", arguments: vectors)
    func both(frame: [UInt8], expected: [UInt8]) {
        #expect(RadioCRC.appended(to: frame) == frame + expected)
        #expect(RadioCRC.stripped(from: frame + expected) == frame)
    }

    @Test("A frame with one flipped bit fails its CRC", arguments: 0..<32)
    func wrongBit(bit: Int) {
        var frame = RadioCRC.appended(to: [0x30, 0x00])
        frame[bit / 8] ^= 1 << (bit % 8)
        #expect(RadioCRC.stripped(from: frame) == nil)
    }

    @Test(
        "A frame with nothing before its CRC is refused",
        arguments: [[], [0x63], [0x63, 0x63]] as [[UInt8]])
    func nothing(frame: [UInt8]) {
        #expect(RadioCRC.stripped(from: frame) == nil)
    }
}
