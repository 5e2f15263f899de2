/// A command for a PN53x chip: its code, followed by its parameters.
package struct ChipCommand: Equatable, Sendable {
    package let bytes: [UInt8]

    package static let firmwareVersion = Self(bytes: [0x02])

    /// Looks for up to this many type A tags at 106 kbit/s and selects them (InListPassiveTarget).
    package static func list(atMost count: UInt8) -> Self { Self(bytes: [0x4A, count, 0x00]) }

    /// Selects the tag with this UID, even if it is halted. Cascade tags are inserted into a longer
    /// UID, just as the tags themselves do when they send it.
    package static func select(_ uid: [UInt8]) -> Self {
        let cascadeTag: [UInt8] = [0x88]
        let parts =
            switch uid.count {
            case 7: cascadeTag + uid
            case 10: cascadeTag + uid[..<3] + cascadeTag + uid[3...]
            default: uid
            }
        // InListPassiveTarget for one type A tag, which responds only if it has this UID.
        return Self(bytes: [0x4A, 1, 0x00] + parts)
    }

    /// Sends a frame to the selected tag unchanged (InCommunicateThru).
    package static func communicate(_ frame: [UInt8]) -> Self { Self(bytes: [0x42] + frame) }

    /// Sets how long the chip waits for a tag's response: 100 us times a power of two
    /// (RFConfiguration, item 2).
    package static func answerTimeout(_ limit: AnswerTimeout) -> Self {
        // The other timeout applies to attribute exchanges with a peer, which tapcard never makes.
        Self(bytes: [0x32, 0x02, 0x00, 0x0B, limit.rawValue])
    }

    package static func readRegisters(_ registers: [ChipRegister]) -> Self {
        Self(bytes: [0x06] + registers.flatMap(\.address))
    }

    package static func writeRegisters(_ values: [(ChipRegister, UInt8)]) -> Self {
        Self(bytes: [0x08] + values.flatMap { $0.0.address + [$0.1] })
    }
}

/// How long the chip waits for a tag's response.
package struct AnswerTimeout: Hashable, Sendable {
    /// The chip's default of 51.2 ms, which is long enough for every frame that is not a block.
    package static let standard = Self(rawValue: 0x0A)
    /// The longest setting used, 819.2 ms. A card cannot request more time than that.
    package static let maximum = Self(rawValue: 0x0E)

    package let rawValue: UInt8

    private init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The shortest setting that waits at least this long, but never less than the default.
    package init(atLeast wait: Duration) {
        // A value of 1 stands for 100 us, and each higher value doubles the time.
        var value = Self.standard.rawValue
        while value < Self.maximum.rawValue, .microseconds(100 << (Int(value) - 1)) < wait {
            value += 1
        }
        rawValue = value
    }
}

/// The two registers that control whether the chip adds and checks CRCs.
package enum ChipRegister: UInt16, CaseIterable, Sendable {
    case transmitMode = 0x6302
    case receiveMode = 0x6303

    /// The bit, in both registers, that makes the chip handle the CRC.
    package static let crcBit: UInt8 = 0x80

    package var address: [UInt8] { [UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)] }

    /// The register values in a response to `readRegisters`; `nil` if there are not exactly
    /// `count`. A PN533 sends a status byte before the values; other chips do not.
    package static func values(_ answer: [UInt8], count: Int) -> [UInt8]? {
        switch answer.count {
        case count: answer
        case count + 1 where answer[0] == 0: Array(answer.dropFirst())
        default: nil
        }
    }
}
