package import Tags

/// A reader with an NTAG 424 on it: it passes commands to the card, and answers commands for
/// readers itself, as every reader of the standard does.
package struct PlayedNTAG424Reader: PlayedReader {
    /// The answer to reset that readers make up for this card.
    package static let answerToReset: [UInt8] = [0x3B, 0x81, 0x80, 0x01, 0x80, 0x80]

    package private(set) var memory: NTAG424Memory
    private var side = NTAG424Side()

    package init(_ memory: NTAG424Memory) { self.memory = memory }

    package mutating func powerUp(_ field: inout PlayedField) { side = NTAG424Side() }
    package mutating func powerDown(_ field: inout PlayedField) { side = NTAG424Side() }
    package mutating func reset(_ field: inout PlayedField) { side = NTAG424Side() }

    package mutating func answer(_ command: [UInt8], _ field: inout PlayedField) -> [UInt8] {
        guard field.otherCard != nil else { return [0x63, 0x00] }
        let forReaders: UInt8 = 0xFF
        guard command.first == forReaders else {
            return side.answer(command, &memory) { count in
                (0..<count).map { _ in UInt8.random(in: .min ... .max) }
            }
        }
        return command.prefix(2) == [forReaders, 0xCA]
            ? memory.number + [0x90, 0x00] : [0x6A, 0x81]
    }
}
