import Tags

/// The status byte that a PN53x chip returns for a frame sent to a tag.
///
/// libnfc maps most status bytes to the same error number. The byte itself distinguishes a missing
/// tag from a damaged response.
struct ChipStatus: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt8

    /// Drops bits 6 and 7, which are not part of the error code: bit 6 means that more data
    /// follows, and bit 7 that an address comes first.
    init(rawValue: UInt8) { self.rawValue = rawValue & 0x3F }

    static let noError = Self(rawValue: 0x00)
    /// No tag responded within the chip's timeout.
    static let silence = Self(rawValue: 0x01)

    /// The error to report to the sender of the frame.
    var error: ReaderError {
        self == .silence
            ? ReaderError(.tagLost, "no tag responded")
            : ReaderError(.garbled, "\(meaning) (chip status \(rawValue))")
    }

    private var meaning: String {
        switch rawValue {
        case 0x02: "the answer has an incorrect CRC"
        case 0x03: "the answer has incorrect parity"
        case 0x04, 0x05: "the answer has incorrect framing"
        case 0x06: "two tags responded at once"
        case 0x07, 0x09, 0x0E: "the answer was longer than the reader's buffer"
        case 0x0D: "the reader's chip overheated"
        case 0x2D: "the antenna current was too high"
        default: "the answer is damaged"
        }
    }
}
