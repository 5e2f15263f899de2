/// The chip's answer to the question which one it is.
struct Firmware: Equatable, CustomStringConvertible {
    let chip: String
    let version: UInt8
    let revision: UInt8

    /// Two bytes from a PN531, four from the later ones; nil for anything else.
    init?(_ answer: [UInt8]) {
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

    var isPN531: Bool { chip == "PN531" }

    var description: String { "\(chip) \(version).\(revision)" }
}
