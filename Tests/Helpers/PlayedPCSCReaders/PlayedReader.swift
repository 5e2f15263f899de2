/// A kind of reader: its answers to the commands from pcscd.
public protocol PlayedReader: Sendable {
    /// The answer to reset that it invents for a tag.
    static var answerToReset: [UInt8] { get }

    /// Powers the tag up, or up again.
    mutating func powerUp(_ field: inout PlayedField)
    mutating func powerDown(_ field: inout PlayedField)
    /// Selects the tag again without removing its power.
    mutating func reset(_ field: inout PlayedField)
    mutating func answer(_ command: [UInt8], _ field: inout PlayedField) -> [UInt8]
}

extension PlayedReader {
    /// The answer to reset of a MIFARE Ultralight, which is what readers take every Type 2 tag for.
    public static var answerToReset: [UInt8] { storageCard(name: 0x0003) }

    /// The answer to reset of a storage card of this name, of type A if no other standard is named.
    public static func storageCard(standard: UInt8 = 0x03, name: UInt16) -> [UInt8] {
        let bytes: [UInt8] = [
            0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, standard,
            UInt8(name >> 8), UInt8(truncatingIfNeeded: name), 0x00, 0x00, 0x00, 0x00,
        ]
        return bytes + [bytes.dropFirst().reduce(0, ^)]
    }

    public mutating func powerUp(_ field: inout PlayedField) {
        field.switchOff()
        field.switchOn()
        _ = field.select()
    }

    public mutating func powerDown(_ field: inout PlayedField) { field.switchOff() }

    public mutating func reset(_ field: inout PlayedField) {
        field.switchOn()
        _ = field.select()
    }
}

/// CRC_A, written a second time on purpose, because the product's own is under test.
func checkBytes(_ data: [UInt8]) -> [UInt8] {
    var crc: UInt32 = 0x6363
    for byte in data {
        var mixed = UInt32(byte) ^ (crc & 0xFF)
        mixed = (mixed ^ (mixed << 4)) & 0xFF
        crc = (crc >> 8) ^ (mixed << 8) ^ (mixed << 3) ^ (mixed >> 4)
        crc &= 0xFFFF
    }
    return [UInt8(crc & 0xFF), UInt8(crc >> 8)]
}
