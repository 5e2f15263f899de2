package import Tags

/// The answer to reset (ATR) that a reader composes for a contactless storage card. Part 3 of the
/// PC/SC standard defines how it encodes the card's standard and name.
package struct StorageCardATR: Hashable, Sendable {
    private static let length = 20
    /// TS, T0, TD1, TD2, and the historical bytes through PC/SC's application identifier.
    private static let prefix: [UInt8] = [
        0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06,
    ]

    package let standard: UInt8
    package let name: UInt16

    /// Parses an ATR; `nil` if it is not the ATR of a storage card.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == StorageCardATR.length, bytes.starts(with: StorageCardATR.prefix),
            // With TCK, the last byte, the XOR of all bytes except the first is zero.
            bytes.dropFirst().reduce(0, ^) == 0
        else { return nil }
        standard = bytes[12]
        name = UInt16(bytes[13]) << 8 | UInt16(bytes[14])
    }

    /// Whether the name is that of a Type 2 tag: MIFARE Ultralight or its successor.
    package var isType2: Bool { selectAcknowledge == 0 }

    /// The family of the card; `nil` for an unknown standard.
    package var family: TagIdentity.Family? {
        switch standard {
        case 0x01...0x04: .typeA
        case 0x05...0x08: .typeB
        case 0x09...0x0C: .vicinity
        case 0x11: .felica
        default: nil
        }
    }

    /// The select acknowledge of a type A card with this name; `nil` for any other name.
    package var selectAcknowledge: UInt8? {
        let typeAPart3: UInt8 = 0x03
        guard standard == typeAPart3 else { return nil }
        // The names stand for MIFARE Classic 1K, Classic 4K, Ultralight, and Mini, and for
        // compatible chips.
        return switch name {
        case 0x0001, 0x0036: 0x08
        case 0x0002, 0x0037: 0x18
        case 0x0003, 0x003A: 0x00
        case 0x0026: 0x09
        default: nil
        }
    }
}
