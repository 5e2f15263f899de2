import Tags

/// An ACR122U: the PN532 inside obeys what direct transmit brings.
public struct PlayedACR122U: PlayedReader {
    /// Whether the firmware keeps each answer until it is asked for.
    private let keepsAnswers: Bool
    private var kept: [UInt8] = []
    /// The highest bit of CIU_RxMode.
    private var checksCRC = true
    /// Whether the chip searches for a tag without end.
    private var searchesForEver = true

    public init(keepsAnswers: Bool = false) { self.keepsAnswers = keepsAnswers }

    public mutating func answer(_ command: [UInt8], _ field: inout PlayedField) -> [UInt8] {
        if command.starts(with: [0xFF, 0xC0, 0x00, 0x00]), command.count == 5 {
            return Int(command[4]) == kept.count ? kept + [0x90, 0x00] : [0x6C, 0x00]
        }
        guard command.starts(with: [0xFF, 0x00, 0x00, 0x00]), command.count > 6,
            Int(command[4]) == command.count - 5, command[5] == 0xD4
        else {
            var storage = PlayedStorageReader()
            return storage.answer(command, &field)
        }
        guard let answer = obey(Array(command.dropFirst(6)), &field) else { return [0x63, 0x00] }
        let whole = [0xD5, command[6] + 1] + answer
        if keepsAnswers {
            kept = whole
            return [0x61, UInt8(whole.count)]
        }
        return whole + [0x90, 0x00]
    }

    private mutating func obey(_ command: [UInt8], _ field: inout PlayedField) -> [UInt8]? {
        switch (command[0], command.dropFirst().first) {
        case (0x02, nil): return [0x32, 0x01, 0x06, 0x07]
        case (0x32, 0x01):
            if command.last == 0 { field.switchOff() } else { field.switchOn() }
            return []
        case (0x32, 0x04): return []
        case (0x32, 0x05):
            searchesForEver = command.last == 0xFF
            return []
        case (0x08, _):
            guard command.count == 4 else { return nil }
            if command[1] == 0x63, command[2] == 0x03 { checksCRC = command[3] & 0x80 != 0 }
            return []
        case (0x4A, 0x01):
            guard !searchesForEver else { return nil }
            // Selecting sets the registers as the chip likes them.
            checksCRC = true
            field.switchOn()
            guard let tag = field.select() else { return [0x00] }
            return [
                0x01, 0x01, UInt8(tag.answerToRequest >> 8),
                UInt8(truncatingIfNeeded: tag.answerToRequest), tag.selectAcknowledge,
                UInt8(tag.uid.count),
            ] + tag.uid
        case (0x42, _): return communicate(Array(command.dropFirst()), &field)
        default: return nil
        }
    }

    private func communicate(_ frame: [UInt8], _ field: inout PlayedField) -> [UInt8] {
        switch field.answer(frame) {
        case .silence: return [0x01]
        case .data(let data):
            return checksCRC ? [0x00] + data : [0x00] + data + checkBytes(data)
        // The chip takes what has no CRC for damaged.
        case .ack: return checksCRC ? [0x02] : [0x00, 0x0A]
        case .nak(let code): return checksCRC ? [0x02] : [0x00, code]
        }
    }
}
