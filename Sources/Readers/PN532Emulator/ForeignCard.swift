import Tags

/// Cards that tapcard does not use. They are emulated just enough for a reader to find and reject
/// them.
public enum ForeignCard: String, Hashable, Sendable, CaseIterable {
    /// MIFARE Classic 1K, with a four-byte UID.
    case classic
    /// An ISO/IEC 14443-4 card with no applications.
    case type4

    /// The UID of the card.
    public var number: [UInt8] {
        switch self {
        case .classic: [0x9A, 0x3C, 0x51, 0x7E]
        case .type4: [0x04, 0x5A, 0x21, 0x8A, 0x6B, 0x5C, 0x80]
        }
    }

    /// The type 4 card's answer to select (ATS): frames of 64 bytes, 106 kbit/s, no CID or NAD.
    package static let answerToSelect: [UInt8] = [0x06, 0x75, 0x77, 0x81, 0x02, 0x80]

    var activation: TypeACardSelection {
        switch self {
        case .classic:
            TypeACardSelection(uid: number, answerToRequest: [0x04, 0x00], selectAcknowledge: 0x08)
        case .type4:
            TypeACardSelection(uid: number, answerToRequest: [0x44, 0x03], selectAcknowledge: 0x20)
        }
    }

    /// The NAK that a MIFARE Classic sends for a command that requires authentication.
    private static let notAllowed = RadioFrame(bytes: [0x04], lastBits: 4)
    private static let unknownInstruction: [UInt8] = [0x6D, 0x00]

    /// A selected card's response to a frame with a checksum; `nil` if it does not respond.
    func answer(_ frame: [UInt8], _ activation: inout TypeACardSelection) -> RadioFrame? {
        guard let data = RadioCRC.stripped(from: frame), let first = data.first else {
            activation.endSelection()
            return nil
        }
        switch self {
        case .classic:
            let halt: [UInt8] = [0x50, 0x00]
            if data == halt { activation.halt() } else { activation.endSelection() }
            return data == halt ? nil : ForeignCard.notAllowed
        case .type4:
            return block(first, data, &activation)
                .map { RadioFrame(bytes: RadioCRC.appended(to: $0)) }
        }
    }

    private func block(
        _ first: UInt8, _ data: [UInt8], _ activation: inout TypeACardSelection
    ) -> [UInt8]? {
        if activation.state != .block {
            let requestForAnswerToSelect: UInt8 = 0xE0
            guard first == requestForAnswerToSelect, data.count == 2 else {
                if data == [0x50, 0x00] { activation.halt() } else { activation.endSelection() }
                return nil
            }
            activation.enterBlocks()
            return ForeignCard.answerToSelect
        }
        // The block number and the bit that says whether a CID follows are ignored.
        // The cases are an I-block, an R-block, S(DESELECT), and PPS.
        switch first & 0xF6 {
        case 0x02, 0x06: return [first] + ForeignCard.unknownInstruction
        case 0xB2, 0xA2: return [0xA2 | first & 0x01]
        case 0xC2:
            activation.halt()
            return [first]
        case 0xD0: return [first]
        default: return nil
        }
    }
}
