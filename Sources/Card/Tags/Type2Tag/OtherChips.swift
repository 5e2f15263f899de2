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
