/// The two bytes at the end of a response. Unknown values are kept as they are.
package struct StatusWord: Hashable, Sendable {
    package let rawValue: UInt16

    package init(_ rawValue: UInt16) { self.rawValue = rawValue }

    package static let done = StatusWord(0x9100)
    package static let isoDone = StatusWord(0x9000)
    /// More of the response or of the authentication will follow.
    package static let more = StatusWord(0x91AF)
    /// The end of the response to Read_Sig, on real chips.
    package static let signatureDone = StatusWord(0x9190)

    /// The status of a native command begins with 91h; that of an ISO/IEC 7816 command begins with
    /// other bytes.
    init(native code: UInt8) { self.init(0x9100 | UInt16(code)) }

    /// The two bytes at the end of a response.
    var bytes: [UInt8] { [UInt8(rawValue >> 8), code] }

    /// The byte that the MAC of a response covers.
    var code: UInt8 { UInt8(truncatingIfNeeded: rawValue) }

    /// Why the chip refused the command; `nil` if it did not.
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
    /// A wrong MAC, wrong padding, or a session that has ended.
    case integrity
    case noSuchKey
    case wrongLength
    case notAllowed
    case wrongParameter
    /// After many wrong keys, the chip rejects a number of attempts without checking them.
    case authenticationDelayed
    case authenticationFailed
    case outsideFile
    /// Another command was sent between the parts of a command.
    case aborted
    /// The chip could not write to its memory.
    case memory
    case noSuchFile
    case other(StatusWord)

    init(_ status: StatusWord) {
        // Native commands return 91xx; ISO/IEC 7816 commands return the other values.
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
