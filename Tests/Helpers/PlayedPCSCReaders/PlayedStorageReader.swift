import Tags

/// A reader that knows only the commands for storage cards.
public struct PlayedStorageReader: PlayedReader {
    public init() {}

    public mutating func answer(_ command: [UInt8], _ field: inout PlayedField) -> [UInt8] {
        switch (command.prefix(2), command.count) {
        case ([0xFF, 0xCA], 5):
            // The number is the one it read when the card came: it may have gone since.
            guard let uid = field.tag?.uid else {
                return field.otherCard == nil
                    ? [0x63, 0x00] : [0x01, 0x02, 0x03, 0x04, 0x90, 0x00]
            }
            return uid + [0x90, 0x00]
        case ([0xFF, 0xB0], 5) where command[4] == 16:
            if case .data(let data) = field.answer([0x30, command[3]]) {
                return data + [0x90, 0x00]
            }
            return [0x63, 0x00]
        case ([0xFF, 0xD6], 9) where command[4] == 4:
            let isDone = field.answer([0xA2, command[3]] + command.dropFirst(5)) == .ack
            return isDone ? [0x90, 0x00] : [0x63, 0x00]
        default: return [0x6A, 0x81]
        }
    }
}
