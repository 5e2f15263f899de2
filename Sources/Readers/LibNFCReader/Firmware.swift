/// The chip's model and the version of its firmware, as the chip reports them.
package struct Firmware: Equatable, CustomStringConvertible {
    package let chip: String
    package let version: UInt8
    package let revision: UInt8

    /// Parses the chip's response: two bytes from a PN531, four from later chips; `nil` for any
    /// other length.
    package init?(_ answer: [UInt8]) {
        switch (answer.count, answer.first) {
        case (2, let version?):
            self.chip = "PN531"
            self.version = version
            revision = answer[1]
        case (4, let chip?):
            // 32h stands for a PN532.
            self.chip = "PN5" + String(chip, radix: 16)
            version = answer[1]
            revision = answer[2]
        default: return nil
        }
    }

    package var isPN531: Bool { chip == "PN531" }

    package var description: String { "\(chip) \(version).\(revision)" }
}
