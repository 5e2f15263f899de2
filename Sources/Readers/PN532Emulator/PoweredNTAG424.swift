import Tags

/// A powered NTAG 424, which accepts commands in blocks.
struct PoweredNTAG424: Hashable {
    /// The answer to select from the data sheet: frames of 128 bytes, a waiting time of 38.66 ms,
    /// 106 kbit/s.
    static let answerToSelect: [UInt8] = [0x06, 0x77, 0x77, 0x71, 0x02, 0x80]
    /// The first byte of an I-block that is not the last block of its command; bit 0 is the block
    /// number.
    private static let chainedBlock: UInt8 = 0x12

    private var blocks = CardSide(answerToSelect: answerToSelect)
    private var chip = NTAG424Side()
    /// The number of blocks received so far for a command that is not complete yet.
    private var blockCount = 0

    var isActivated: Bool { blocks.isActivated }

    /// Whether a frame completes a command that writes.
    func isWrite(_ frame: [UInt8]) -> Bool {
        guard blocks.isActivated else { return false }
        // The frame is tried on a copy, because it is processed only after its fault has been
        // determined.
        var after = blocks
        guard case .run(let command) = after.receive(frame) else { return false }
        return NTAG424Side.isWrite(command)
    }

    /// Whether the current command consists of several blocks.
    var isChained: Bool { blockCount > 0 }

    /// The response to a frame, both without a checksum; `nil` if the card does not respond.
    mutating func receive(
        _ frame: [UInt8], _ memory: inout NTAG424Memory, random: (Int) -> [UInt8]
    ) -> [UInt8]? {
        if let first = frame.first, first & 0xFE == PoweredNTAG424.chainedBlock { blockCount += 1 }
        switch blocks.receive(frame) {
        case .silence: return nil
        case .send(let answer): return answer
        case .run(let command):
            defer { blockCount = 0 }
            return blocks.answer(
                chip.answer(command, blocks: blockCount + 1, &memory, random: random))
        case .end(let answer):
            // Deselecting a card ends its session.
            (chip, blockCount) = (NTAG424Side(), 0)
            return answer
        }
    }
}
