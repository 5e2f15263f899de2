/// One of the three files of the chip.
package enum FileNumber: UInt8, CaseIterable, Hashable, Sendable {
    /// The capability container, from which phones learn the locations and lengths of the other
    /// files.
    case capability = 1
    /// The message that phones read. Only this file can have mirrored values.
    case ndef = 2
    /// Data for the card's issuer.
    case data = 3

    /// The file's length, in bytes.
    package var size: Int {
        switch self {
        case .capability: 32
        case .ndef: 256
        case .data: 128
        }
    }

    /// The file's ISO file identifier.
    // The files are E103h, E104h, and E105h.
    package var identifier: UInt16 { 0xE102 + UInt16(rawValue) }

    init?(identifier: UInt16) {
        guard let file = FileNumber.allCases.first(where: { $0.identifier == identifier }) else {
            return nil
        }
        self = file
    }

    /// The file with this short identifier, as used in ISO READ BINARY.
    init?(short: UInt8) {
        guard let file = FileNumber.allCases.first(where: { $0.shortIdentifier == short }) else {
            return nil
        }
        self = file
    }

    // A short identifier is the low five bits of the file identifier.
    var shortIdentifier: UInt8 { UInt8(truncatingIfNeeded: identifier & 0x1F) }
}
