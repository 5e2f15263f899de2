/// The capability container of a Type 4 tag (NFC Forum Type 4), which describes the message file.
package struct Type4Capability: Hashable, Sendable {
    /// The identifier of the file that holds the container.
    package static let fileIdentifier: UInt16 = 0xE103
    /// The number of bytes to read from that file.
    package static let byteCount = 15
    /// The number of bytes at the start of the message file that hold the message's length.
    package static let lengthByteCount = 2

    /// The identifier of the message file.
    package let file: UInt16
    /// The maximum number of bytes in a message.
    package let maximumByteCount: Int
    /// The maximum number of bytes that one command reads.
    package let maximumRead: Int
    /// The maximum number of bytes that one command writes.
    package let maximumWrite: Int
    /// Whether anyone may read the message.
    package let isReadable: Bool
    /// Whether anyone may write the message.
    package let isWritable: Bool
    /// Whether the message can never be written.
    package let isReadOnly: Bool

    /// `nil` if the container is invalid or describes another layout, such as files of more than
    /// 32 KiB.
    package init?(_ bytes: [UInt8]) {
        func number(_ index: Int) -> Int { Int(bytes[index]) << 8 | Int(bytes[index + 1]) }
        // The block that describes the file has type 04h and a length of six bytes.
        guard bytes.count >= Type4Capability.byteCount, number(0) >= Type4Capability.byteCount,
            bytes[7] == 0x04, bytes[8] == 0x06, number(3) >= 0x0F, number(5) > 0,
            (5...0x7FFF).contains(number(11))
        else { return nil }
        file = UInt16(number(9))
        maximumByteCount = number(11) - Type4Capability.lengthByteCount
        maximumRead = min(number(3), CommandAPDU.maximumData)
        maximumWrite = min(number(5), CommandAPDU.maximumData)
        // Any other value means "never", or a condition that the chip's maker defines.
        isReadable = bytes[13] == 0
        isWritable = bytes[14] == 0
        isReadOnly = bytes[14] == 0xFF
    }
}

extension CommandAPDU {
    /// Selects a file of a Type 4 tag by its identifier.
    package static func selecting(file identifier: UInt16) -> CommandAPDU {
        CommandAPDU(
            // P2 is 0Ch: do not return a description of the file. So there is no expected length.
            0, 0xA4, 0, 0x0C,
            data: [UInt8(identifier >> 8), UInt8(truncatingIfNeeded: identifier)], expected: nil)
    }
}
