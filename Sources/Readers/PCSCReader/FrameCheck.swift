package import TagReading

/// Answers as they come through the air, with their CRC.
package enum FrameCheck {
    /// What a tag said, from the bytes as they were received with their CRC. An acknowledge has
    /// four bits and no CRC: the reader hands it over as one byte.
    package static func unwrap(_ received: [UInt8]) throws(ReaderError) -> [UInt8] {
        let acknowledge: UInt8 = 0x0A
        if received.count == 1 {
            let code = received[0]
            guard code & 0xF0 == 0 else { throw ReaderError(.garbled, "an answer of one byte") }
            if code == acknowledge { return [] }
            throw ReaderError(.refused(code))
        }
        guard received.count > RadioCRC.length else {
            throw ReaderError(.garbled, "an answer of \(received.count) bytes")
        }
        guard let data = RadioCRC.stripped(from: received) else {
            throw ReaderError(.garbled, "an answer with a wrong CRC")
        }
        return data
    }
}
