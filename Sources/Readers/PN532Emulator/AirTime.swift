/// How long frames take at 106 kbit/s, counting only their bits.
///
/// With the bits that begin and end a frame, this gives the times in the NTAG21x data sheet: 368 us
/// for a READ, 1548 us for its answer, 708 us for a WRITE, and 57 us for an ACK. It does not
/// include waiting for an answer or programming a page.
package enum AirTime {
    // 128 cycles of the 13.56 MHz carrier.
    private static let nanosecondsOfBit = 9_440
    /// One start bit before a command and two bit times after it; an answer has one of each.
    private static let commandExtraBits = 3
    private static let answerExtraBits = 2

    package static func command(_ frame: RadioFrame) -> Int {
        (bits(frame) + commandExtraBits) * nanosecondsOfBit
    }

    package static func answer(_ frame: RadioFrame) -> Int {
        (bits(frame) + answerExtraBits) * nanosecondsOfBit
    }

    /// The number of bits in a frame. Each whole byte is followed by its parity bit.
    private static func bits(_ frame: RadioFrame) -> Int {
        frame.bitCount + frame.bitCount / 8
    }
}
