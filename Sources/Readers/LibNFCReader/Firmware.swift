/// The version of the chip and its firmware, as the chip reports it.
package struct Firmware: Equatable, CustomStringConvertible {
    package let chip: String
    package let version: UInt8
    package let revision: UInt8

    /// Reads two bytes from a PN531, or four from later chips; `nil` for anything else.
    package init?(_ answer: [UInt8]) {
        switch (answer.count, answer.first) {
        case (2, let version?):
            self.chip = "PN531"
            self.version = version
            revision = answer[1]
        case (4, let chip?):
            self.chip = "PN5" + String(chip, radix: 16)
            version = answer[1]
            revision = answer[2]
        default: return nil
        }
    }

    package var isPN531: Bool { chip == "PN531" }

    package var description: String { "\(chip) \(version).\(revision)" }
}
