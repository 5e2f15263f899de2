/// The CRC of ISO/IEC 14443 type A, which follows every frame except ACK and NAK, least significant
/// byte first.
///
/// Drivers compute the CRC themselves where they can. If a reader's chip checked it, a NAK, which
/// has no CRC, would be reported with the same error as a missing tag.
package enum RadioCRC {
    /// The length of a CRC in bytes.
    package static let length = 2

    @inlinable
    package static func bytes(of frame: some Sequence<UInt8>) -> [UInt8] {
        // The initial value of type A (ISO/IEC 14443-3); type B starts with FFFFh.
        var register: UInt16 = 0x6363
        for byte in frame {
            // These three lines process all eight bits of the byte at once.
            var mixed = byte ^ UInt8(truncatingIfNeeded: register)
            mixed ^= mixed << 4
            register = register >> 8 ^ UInt16(mixed) << 8 ^ UInt16(mixed) << 3 ^ UInt16(mixed) >> 4
        }
        return [UInt8(truncatingIfNeeded: register), UInt8(truncatingIfNeeded: register >> 8)]
    }

    /// The frame with its CRC, as sent over the air.
    package static func appended(to frame: [UInt8]) -> [UInt8] { frame + bytes(of: frame) }

    /// The bytes before a correct CRC. `nil` if the CRC is wrong or missing, or if nothing precedes
    /// it.
    package static func stripped(from frame: [UInt8]) -> [UInt8]? {
        let data = frame.dropLast(length)
        guard !data.isEmpty, bytes(of: data).elementsEqual(frame.suffix(length)) else { return nil }
        return Array(data)
    }
}
