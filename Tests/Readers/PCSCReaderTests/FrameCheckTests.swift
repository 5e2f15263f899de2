import PCSCReader
import Tags
import Testing

@Suite("Check bytes of a frame")
struct FrameCheckTests {
    @Test("Correct check bytes are removed")
    func right() throws {
        #expect(try FrameCheck.unwrap([0x12, 0x34, 0x26, 0xCF]) == [0x12, 0x34])
        #expect(try FrameCheck.unwrap([0x00] + RadioCRC.bytes(of: [0x00])) == [0x00])
    }

    @Test("A frame with any one bit wrong is refused")
    func wrong() {
        let good: [UInt8] = [0x12, 0x34, 0x26, 0xCF]
        for bit in 0..<good.count * 8 {
            var bytes = good
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: ReaderError(.garbled), "bit \(bit)") { try FrameCheck.unwrap(bytes) }
        }
    }

    @Test(
        "A frame that is cut off is refused",
        arguments: [[], [0x12, 0x34], [0x63, 0x63], [0x12, 0x34, 0x26]])
    func cutOff(bytes: [UInt8]) {
        #expect(throws: ReaderError(.garbled)) { try FrameCheck.unwrap(bytes) }
    }

    @Test("A single byte is an acknowledge, a refusal or garbled")
    func acknowledge() throws {
        #expect(try FrameCheck.unwrap([0x0A]) == [])
        for code in UInt8.min...UInt8.max where code != 0x0A {
            let expected =
                code < 0x10 ? ReaderError(.refused(code)) : ReaderError(.garbled)
            #expect(throws: expected, "\(code)") { try FrameCheck.unwrap([code]) }
        }
    }
}
