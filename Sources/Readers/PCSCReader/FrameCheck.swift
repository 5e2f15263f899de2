package import TagReading

/// The two bytes of CRC_A behind every frame of ISO/IEC 14443-3 type A, least significant first.
package enum FrameCheck {
    static let length = 2

    package static func bytes(of data: some Sequence<UInt8>) -> [UInt8] {
        var register: UInt16 = 0x6363
        for byte in data {
            register ^= UInt16(byte)
            for _ in 0..<8 {
                register = register & 1 == 0 ? register >> 1 : register >> 1 ^ 0x8408
            }
        }
        return [UInt8(truncatingIfNeeded: register), UInt8(register >> 8)]
    }

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
        guard received.count > length else {
            throw ReaderError(.garbled, "an answer of \(received.count) bytes")
        }
        let data = Array(received.dropLast(length))
        guard Array(received.suffix(length)) == bytes(of: data) else {
            throw ReaderError(.garbled, "an answer with a wrong CRC")
        }
        return data
    }
}
