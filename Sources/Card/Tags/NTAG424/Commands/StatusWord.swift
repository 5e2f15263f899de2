/// The two bytes at the end of an answer. Unknown values are kept as they are.
package struct StatusWord: Hashable, Sendable {
    package let rawValue: UInt16

    package init(_ rawValue: UInt16) { self.rawValue = rawValue }

    package static let done = StatusWord(0x9100)
    package static let isoDone = StatusWord(0x9000)
    /// The rest of the answer or of the authentication is still to come.
    package static let more = StatusWord(0x91AF)
    /// The end of the answer to Read_Sig, on real chips.
    package static let signatureDone = StatusWord(0x9190)

    /// Answers to the chip's native commands begin with 91h, answers to ISO/IEC 7816 commands with
    /// other bytes.
    init(native code: UInt8) { self.init(0x9100 | UInt16(code)) }

    /// The byte that the MAC of an answer covers.
    var code: UInt8 { UInt8(truncatingIfNeeded: rawValue) }

    /// Why the chip refused; `nil` if it did not refuse.
    package var refusal: NTAG424Refusal? {
        switch self {
        case .done, .isoDone, .more, .signatureDone: nil
        default: NTAG424Refusal(self)
        }
    }
}

/// Why the chip refuses a command. Every refusal ends the session.
package enum NTAG424Refusal: Hashable, Sendable {
    case unknownCommand
    /// A wrong MAC, wrong padding, or a session that is over.
    case integrity
    case noSuchKey
    case wrongLength
    case notAllowed
    case wrongParameter
    /// After many wrong keys, the chip makes readers wait before it lets them try another.
    case authenticationDelayed
    case authenticationFailed
    case outsideFile
    /// The parts of a command were not sent one right after another.
    case aborted
    /// The chip could not write.
    case memory
    case noSuchFile
    case other(StatusWord)

    init(_ status: StatusWord) {
        // The chip's native commands return 91xx, and ISO/IEC 7816 commands the others.
        self =
            switch status.rawValue {
            case 0x910B, 0x911C, 0x6D00, 0x6E00: .unknownCommand
            case 0x911E: .integrity
            case 0x9140: .noSuchKey
            case 0x910C, 0x917E, 0x6700, 0x6A87, 0x6C00...0x6CFF: .wrongLength
            case 0x919D, 0x6982, 0x6985: .notAllowed
            case 0x919E, 0x6A80, 0x6A86: .wrongParameter
            case 0x91AD: .authenticationDelayed
            case 0x91AE: .authenticationFailed
            case 0x91BE: .outsideFile
            case 0x91CA: .aborted
            case 0x91EE, 0x6581: .memory
            case 0x91F0, 0x6A82: .noSuchFile
            default: .other(status)
            }
    }
}
