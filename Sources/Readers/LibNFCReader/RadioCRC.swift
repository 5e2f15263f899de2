/// The CRC of ISO/IEC 14443 type A, which stands behind every frame but ACK and NAK.
///
/// It is made here and not by the reader's chip: a chip that checks CRCs reports a NAK, which has
/// none, as the same error as a tag that is gone.
package enum RadioCRC {
    package static let length = 2

    package static func bytes(of frame: some Sequence<UInt8>) -> [UInt8] {
        var register: UInt16 = 0x6363
        for byte in frame {
            var mixed = byte ^ UInt8(truncatingIfNeeded: register)
            mixed ^= mixed << 4
            register = register >> 8 ^ UInt16(mixed) << 8 ^ UInt16(mixed) << 3 ^ UInt16(mixed) >> 4
        }
        return [UInt8(truncatingIfNeeded: register), UInt8(truncatingIfNeeded: register >> 8)]
    }
}
