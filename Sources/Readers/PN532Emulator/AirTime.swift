/// How long the bits of a frame take to send at 106 kbit/s.
///
/// With the bits that begin and end a frame, the times match those in the NTAG21x data sheet: 368
/// us for a READ, 1548 us for its response, 708 us for a WRITE, and 57 us for an ACK. The waits for
/// a response and for a page to be programmed are not included.
package enum AirTime {
    // 128 cycles of the 13.56 MHz carrier.
    private static let nanosecondsPerBit = 9_440
    /// A command has one start bit before it and two bit times after it; a response has one of
    /// each.
    private static let commandExtraBits = 3
    private static let responseExtraBits = 2

    package static func command(_ frame: RadioFrame) -> Int {
        (bits(frame) + commandExtraBits) * nanosecondsPerBit
    }

    package static func answer(_ frame: RadioFrame) -> Int {
        (bits(frame) + responseExtraBits) * nanosecondsPerBit
    }

    /// The number of bits in a frame. A parity bit follows each whole byte.
    private static func bits(_ frame: RadioFrame) -> Int {
        frame.bitCount + frame.bitCount / 8
    }
}
