/// A frame sent over the air: bytes, the last of which may be incomplete.
package struct RadioFrame: Hashable {
    package var bytes: [UInt8]
    /// The number of valid bits in the last byte; 0 means all of them, as in the chip's registers.
    package var lastBits: UInt8

    package init(bytes: [UInt8], lastBits: UInt8 = 0) {
        self.bytes = bytes
        self.lastBits = lastBits
    }

    var bitCount: Int { bytes.count * 8 - (lastBits == 0 || bytes.isEmpty ? 0 : 8 - Int(lastBits)) }
    var isWhole: Bool { lastBits == 0 }
}

/// Odd parity, for a host that handles parity itself: nine bits for each byte, without gaps.
package enum ParityBits {
    /// Removes the parity bits; `nil` if one of them is wrong. A frame of fewer than nine bits has
    /// no parity bit.
    package static func unpack(_ frame: RadioFrame) -> RadioFrame? {
        guard frame.bitCount >= 9 else { return frame }
        var bytes: [UInt8] = []
        let bits = frame.bytes.flatMap { byte in (0..<8).map { byte >> $0 & 1 } }
        for start in stride(from: 0, to: frame.bitCount - frame.bitCount % 9, by: 9) {
            let byte = (0..<8).reduce(UInt8(0)) { $0 | bits[start + $1] << $1 }
            guard bits[start + 8] == parity(byte) else { return nil }
            bytes.append(byte)
        }
        // Bits left over after the last group of nine make the frame invalid.
        return frame.bitCount.isMultiple(of: 9) ? RadioFrame(bytes: bytes) : nil
    }

    /// Adds a parity bit after each byte.
    package static func pack(_ frame: RadioFrame) -> RadioFrame {
        // Only whole bytes have a parity bit.
        guard frame.isWhole else { return frame }
        let bits = frame.bytes.flatMap { byte in
            (0..<8).map { byte >> $0 & 1 } + [parity(byte)]
        }
        let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<min(start + 8, bits.count)].enumerated()
                .reduce(UInt8(0)) { $0 | $1.element << $1.offset }
        }
        return RadioFrame(bytes: bytes, lastBits: UInt8(bits.count % 8))
    }

    private static func parity(_ byte: UInt8) -> UInt8 {
        byte.nonzeroBitCount.isMultiple(of: 2) ? 1 : 0
    }
}
