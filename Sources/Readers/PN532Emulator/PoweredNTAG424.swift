import Tags

/// A powered NTAG 424, which accepts its commands in blocks.
struct PoweredNTAG424: Hashable {
    /// From the data sheet: frames of 128 bytes, a wait of 38.66 ms, 106 kbit/s.
    static let answerToSelect: [UInt8] = [0x06, 0x77, 0x77, 0x71, 0x02, 0x80]
    private static let part: UInt8 = 0x12

    private var blocks = CardSide(answerToSelect: answerToSelect)
    private var chip = NTAG424Side()
    /// The number of blocks of an incoming command that have arrived so far.
    private var count = 0

    var isActivated: Bool { blocks.isActivated }

    /// Whether a frame completes a command that writes.
    func isWrite(_ frame: [UInt8]) -> Bool {
        guard blocks.isActivated else { return false }
        // On a copy: the frame itself is processed later, when its fault is known.
        var after = blocks
        guard case .run(let command) = after.hear(frame) else { return false }
        return NTAG424Side.isWrite(command)
    }

    /// Whether the command that a frame completes arrived in several blocks.
    var isChained: Bool { count > 0 }

    /// The answer to a frame without a checksum; `nil` for silence.
    mutating func hear(
        _ frame: [UInt8], _ memory: inout NTAG424Memory, random: (Int) -> [UInt8]
    ) -> [UInt8]? {
        if let first = frame.first, first & 0xFE == PoweredNTAG424.part { count += 1 }
        switch blocks.hear(frame) {
        case .silence: return nil
        case .send(let answer): return answer
        case .run(let command):
            defer { count = 0 }
            return blocks.answer(
                chip.answer(command, blocks: count + 1, &memory, random: random))
        case .end(let answer):
            // Once deselected, the card loses its session.
            (chip, count) = (NTAG424Side(), 0)
            return answer
        }
    }
}
