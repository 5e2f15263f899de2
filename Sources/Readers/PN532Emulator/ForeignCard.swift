import TagReading

/// Cards that tapcard does not use, emulated as far as a reader needs to turn them down: they are
/// listed, and they refuse unsuitable commands.
public enum ForeignCard: String, Hashable, Sendable, CaseIterable {
    /// MIFARE Classic 1K, with a number of four bytes.
    case classic
    /// A card of ISO/IEC 14443-4, with no application on it.
    case type4
    case felica

    /// The number of the card: UID or IDm.
    public var number: [UInt8] {
        switch self {
        case .classic: [0x9A, 0x3C, 0x51, 0x7E]
        case .type4: [0x04, 0x5A, 0x21, 0x8A, 0x6B, 0x5C, 0x80]
        case .felica: [0x01, 0x2E, 0x4C, 0x66, 0x13, 0x07, 0xA5, 0xD0]
        }
    }

    /// The answer to select of the type 4 card: frames of 64 bytes, 106 kbit/s, no CID or NAD.
    package static let answerToSelect: [UInt8] = [0x06, 0x75, 0x77, 0x81, 0x02, 0x80]
    package static let felicaParameters: [UInt8] = [0x01, 0x20, 0x22, 0x04, 0x27, 0x67, 0x4E, 0xFF]
    package static let felicaSystemCode: [UInt8] = [0x12, 0xFC]

    var activation: TypeACardSelection? {
        switch self {
        case .classic:
            TypeACardSelection(uid: number, answerToRequest: [0x04, 0x00], selectAcknowledge: 0x08)
        case .type4:
            TypeACardSelection(uid: number, answerToRequest: [0x44, 0x03], selectAcknowledge: 0x20)
        case .felica: nil
        }
    }

    /// The NAK with which a MIFARE Classic refuses a command that needs a key.
    private static let notAllowed = RadioFrame(bytes: [0x04], lastBits: 4)
    private static let unknownInstruction: [UInt8] = [0x6D, 0x00]

    /// The answer of a selected card to a frame with checksum. Nil for silence.
    func answer(_ frame: [UInt8], _ activation: inout TypeACardSelection) -> RadioFrame? {
        guard let data = RadioCRC.stripped(from: frame), let first = data.first else {
            activation.fallBack()
            return nil
        }
        switch self {
        case .classic:
            let halt: [UInt8] = [0x50, 0x00]
            if data == halt { activation.halt() } else { activation.fallBack() }
            return data == halt ? nil : ForeignCard.notAllowed
        case .type4:
            return block(first, data, &activation)
                .map { RadioFrame(bytes: RadioCRC.appended(to: $0)) }
        case .felica: return nil
        }
    }

    private func block(
        _ first: UInt8, _ data: [UInt8], _ activation: inout TypeACardSelection
    ) -> [UInt8]? {
        if activation.state != .block {
            let requestForAnswerToSelect: UInt8 = 0xE0
            guard first == requestForAnswerToSelect, data.count == 2 else {
                if data == [0x50, 0x00] { activation.halt() } else { activation.fallBack() }
                return nil
            }
            activation.enterBlocks()
            return ForeignCard.answerToSelect
        }
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

    /// The answer of a FeliCa card. Both start with their length and have no checksum.
    static func felicaAnswer(_ frame: [UInt8]) -> [UInt8]? {
        guard let length = frame.first, Int(length) == frame.count, frame.count >= 2 else {
            return nil
        }
        let number = ForeignCard.felica.number
        let body = Array(frame.dropFirst())
        switch body[0] {
        case 0x00:
            guard body.count == 5,
                zip(body[1...2], felicaSystemCode).allSatisfy({ asked, own in
                    asked == 0xFF || asked == own
                })
            else { return nil }
            return withLength(
                [0x01] + number + felicaParameters + (body[3] == 0x01 ? felicaSystemCode : []))
        case 0x04:
            guard Array(body.dropFirst()) == number else { return nil }
            return withLength([0x05] + number + [0x00])
        case let command:
            guard body.dropFirst().starts(with: number) else { return nil }
            // The card refuses, because it has no such service.
            return withLength([command &+ 1] + number + [0xFF, 0xA6])
        }
    }

    private static func withLength(_ body: [UInt8]) -> [UInt8] { [UInt8(body.count + 1)] + body }
}
