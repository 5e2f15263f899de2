/// The answer to reset (ATR) that a reader composes for a contactless card that accepts commands:
/// the card's historical bytes in a frame defined by part 3 of the PC/SC standard.
package enum SmartCardATR {
    /// TS, the first byte. T0 follows, with the number of historical bytes.
    private static let initial: UInt8 = 0x3B
    /// TD1 and TD2, for T=0 and T=1.
    private static let protocols: [UInt8] = [0x80, 0x01]

    /// Whether the ATR belongs to an ISO/IEC 14443-4 card, rather than to a storage card.
    package static func usesBlocks(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 5, bytes[0] == initial, bytes[1] & 0xF0 == 0x80,
            Array(bytes[2..<4]) == protocols, bytes.count == 5 + Int(bytes[1] & 0x0F),
            // With TCK, the last byte, the XOR of all bytes except the first is zero.
            bytes.dropFirst().reduce(0, ^) == 0
        else { return false }
        return StorageCardATR(bytes) == nil
    }
}
