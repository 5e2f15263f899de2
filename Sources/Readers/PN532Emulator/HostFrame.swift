/// The frames between a host and a PN532 on its high-speed UART (PN532 user manual, 6.2.1).
package enum HostFrame {
    static let acknowledge: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
    static let refuse: [UInt8] = [0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00]
    /// The chip's response to an invalid command.
    package static let syntaxError: [UInt8] = [0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]

    static let hostToChip: UInt8 = 0xD4
    static let chipToHost: UInt8 = 0xD5
    /// The maximum number of bytes in one frame, including the direction byte.
    package static let maximumDataLength = 265
    private static let maximumNormalLength = 255

    /// A frame that contains this data, whose first byte is the direction. Long data is sent in an
    /// extended frame.
    package static func information(_ data: [UInt8]) -> [UInt8] {
        // The checksum is chosen so that the data and the checksum add up to zero.
        let sum = data.reduce(0, &+)
        return [0x00, 0x00, 0xFF] + lengthField(data.count) + data + [0 &- sum, 0x00]
    }

    private static func lengthField(_ count: Int) -> [UInt8] {
        if count <= maximumNormalLength {
            let length = UInt8(count)
            return [length, 0 &- length]
        }
        let high = UInt8(truncatingIfNeeded: count >> 8)
        let low = UInt8(truncatingIfNeeded: count)
        // FF FF, an impossible combination of length and check byte, announces an extended frame.
        return [0xFF, 0xFF, high, low, 0 &- (high &+ low)]
    }
}
