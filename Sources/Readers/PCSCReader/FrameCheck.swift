package import Tags

/// Checks tags' responses as received over the air, with their CRCs.
package enum FrameCheck {
    /// Returns a tag's response without its CRC. An ACK has four bits and no CRC; the reader passes
    /// it on as one byte.
    package static func unwrap(_ received: [UInt8]) throws(ReaderError) -> [UInt8] {
        let acknowledge: UInt8 = 0x0A
        if received.count == 1 {
            let code = received[0]
            guard code & 0xF0 == 0 else {
                throw ReaderError(
                    .garbled, "the answer is a single byte that is not an acknowledgment")
            }
            if code == acknowledge { return [] }
            throw ReaderError(.refused(code))
        }
        guard received.count > RadioCRC.length else {
            throw ReaderError(.garbled, "the answer has only \(received.count) bytes")
        }
        guard let data = RadioCRC.stripped(from: received) else {
            throw ReaderError(.garbled, "the answer has an incorrect CRC")
        }
        return data
    }
}
