/// A card that the chip has listed and addresses by number.
struct ChipTarget: Hashable {
    enum Kind: Hashable {
        /// Type A without a protocol of its own: Type 2 tags, MIFARE Classic.
        case plain(selectAcknowledge: UInt8)
        /// ISO/IEC 14443-4, with the number of the next block.
        case block(next: UInt8)
        case felica
    }

    let number: [UInt8]
    var kind: Kind
    /// The speed: 00h for 106, 01h for 212, 02h for 424 kbit/s.
    let speed: UInt8

    /// The modulation as GetGeneralStatus reports it.
    var modulation: UInt8 {
        if case .felica = kind { return 0x10 }
        return 0x00
    }
}

/// The parameters of InListPassiveTarget.
struct ListRequest: Hashable {
    let mostTargets: Int
    /// The kind of card: 0 for type A at 106 kbit/s, 1 and 2 for FeliCa, 3 for type B, 4 for Jewel.
    let kind: UInt8
    let initiatorData: [UInt8]
}
