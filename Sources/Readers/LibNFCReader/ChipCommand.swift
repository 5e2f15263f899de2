/// A command of the PN53x chips, as bytes that start with the command code.
package struct ChipCommand: Equatable, Sendable {
    package let bytes: [UInt8]

    package static let firmwareVersion = Self(bytes: [0x02])

    /// The command that looks for this many tags of type A at 106 kbit/s and selects them.
    package static func list(atMost count: UInt8) -> Self { Self(bytes: [0x4A, count, 0x00]) }

    /// The command that selects the tag with this UID, also where it is halted. A longer UID has
    /// marks in it, as the tag sends it.
    package static func select(_ uid: [UInt8]) -> Self {
        let mark: [UInt8] = [0x88]
        let marked =
            switch uid.count {
            case 7: mark + uid
            case 10: mark + uid[..<3] + mark + uid[3...]
            default: uid
            }
        return Self(bytes: [0x4A, 1, 0x00] + marked)
    }

    /// The command that sends a frame to the selected tag unchanged.
    package static func communicate(_ frame: [UInt8]) -> Self { Self(bytes: [0x42] + frame) }

    package static func readRegisters(_ registers: [ChipRegister]) -> Self {
        Self(bytes: [0x06] + registers.flatMap(\.address))
    }

    package static func writeRegisters(_ values: [(ChipRegister, UInt8)]) -> Self {
        Self(bytes: [0x08] + values.flatMap { $0.0.address + [$0.1] })
    }
}

/// The two registers that control whether the chip adds and checks CRCs.
package enum ChipRegister: UInt16, CaseIterable, Sendable {
    case transmitMode = 0x6302
    case receiveMode = 0x6303

    /// The bit of both registers that lets the chip handle the CRC.
    package static let crcBit: UInt8 = 0x80

    package var address: [UInt8] { [UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)] }

    /// The register values in an answer to `readRegisters`, or nil when they are missing. A PN533
    /// puts a status byte before them, the other chips do not.
    package static func values(_ answer: [UInt8], count: Int) -> [UInt8]? {
        switch answer.count {
        case count: answer
        case count + 1 where answer[0] == 0: Array(answer.dropFirst())
        default: nil
        }
    }
}
