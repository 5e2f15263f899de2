/// The names of NFC Forum Type 2 chips that tapcard only reads.
extension Type2Chip {
    /// The name of the chip with this GET_VERSION response: vendor, type, subtype, major and minor
    /// version, and size, as in the maker's data sheets.
    package static func otherName(version: [UInt8]) -> String {
        // Vendor 04h is NXP; other makers use the same numbers for other chips.
        guard version.count == 8, version[1] == 0x04 else { return otherName }
        let (subtype, major, size) = (version[3], version[4], version[6])
        return switch (version[2], subtype, major, size) {
        case (0x03, _, 0x04..., _): "MIFARE Ultralight AES"
        case (0x03, _, 0x02, _): "MIFARE Ultralight Nano"
        case (0x03, _, _, _): "MIFARE Ultralight EV1"
        case (0x04, 0x05, 0x02..., _): "NTAG I2C plus"
        case (0x04, 0x05, _, _): "NTAG I2C"
        case (0x04, _, 0x03, 0x0F): "NTAG213 TagTamper"
        case (0x04, 0x04, _, 0x0F): "NTAG213F"
        case (0x04, 0x04, _, 0x13): "NTAG216F"
        case (0x04, _, _, 0x0B): "NTAG210"
        case (0x04, _, _, 0x0E): "NTAG212"
        case (0x04, _, _, _): "NTAG"
        default: otherName
        }
    }
}

/// The memory of chips that tapcard only reads.
extension Type2Chip {
    /// MIFARE Ultralight C: 48 pages. Pages 28h to 2Bh hold lock bytes 2 and 3, the counter, and
    /// the settings; the last four hold the key.
    package static let ultralightC = Type2Chip(
        model: nil, pageCount: 48, userPages: 0x04...0x27, dynamicLockPage: 0x28,
        configurationPage: nil, version: nil, factoryCapability: Page(0xE1, 0x10, 0x12, 0x00),
        factoryUser: [Page(0x03, 0x00, 0xFE, 0x00)], zeroPages: nil, pagesPerDynamicLock: 4,
        signedExample: nil)

    /// The chip with this GET_VERSION response, if it is a MIFARE Ultralight EV1, NTAG210, or
    /// NTAG212. As on an NTAG21x, the settings follow the user pages and the dynamic lock page.
    package init?(otherVersion version: [UInt8]) {
        guard
            ["MIFARE Ultralight EV1", "NTAG210", "NTAG212"].contains(
                Type2Chip.otherName(version: version))
        else { return nil }
        let isLarge: Bool
        switch version[6] {
        case 0x0B: isLarge = false
        case 0x0E: isLarge = true
        default: return nil
        }
        self.init(
            model: nil, pageCount: isLarge ? 41 : 20, userPages: 0x04...(isLarge ? 0x23 : 0x0F),
            dynamicLockPage: isLarge ? 0x24 : nil, configurationPage: isLarge ? 0x25 : 0x10,
            version: version, factoryCapability: .zero, factoryUser: [], zeroPages: nil,
            pagesPerDynamicLock: 2, signedExample: nil)
    }

    /// The numbers of the chip's counters; nil if it has none.
    package var counters: ClosedRange<UInt8>? {
        // An NTAG21x has only the last of the three counters of an Ultralight EV1.
        if model != nil { return 2...2 }
        return version.map(Type2Chip.otherName) == "MIFARE Ultralight EV1" ? 0...2 : nil
    }
}
