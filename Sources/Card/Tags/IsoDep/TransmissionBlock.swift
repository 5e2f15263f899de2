/// An ISO/IEC 14443-4 block without its checksum. The card and the reader share this codec.
///
/// Blocks with a card identifier or a node address are refused: tapcard talks to one card at a
/// time, so it needs neither.
package enum TransmissionBlock: Hashable, Sendable {
    /// Part of a command or a response (I-block). `continues` means that more parts follow.
    case information(number: BlockNumber, continues: Bool, payload: [UInt8])
    /// The part was received, and the next one may follow (R(ACK)).
    case acknowledge(BlockNumber)
    /// Nothing readable arrived, so the other side is asked to repeat (R(NAK)).
    case repeatRequest(BlockNumber)
    /// The card asks for this multiple of its usual waiting time, or the reader grants it (S(WTX)).
    case waitExtension(multiplier: UInt8)
    /// The end of the exchange (S(DESELECT)).
    case deselect

    /// The allowed multipliers for the waiting time.
    package static let multipliers: ClosedRange<UInt8> = 1...59
    /// The number of bytes in a block besides its payload: one for its kind and two for the
    /// checksum.
    static let overhead = 3

    private static let negative: UInt8 = 0x10
    private static let continued: UInt8 = 0x10

    /// Parses a frame. `nil` for any frame that `frame` would not produce.
    package init?(frame: [UInt8]) {
        guard let first = frame.first else { return nil }
        // Bit 1 is the number. Bits 3 and 4, for node address and identifier, match no case below.
        let number: BlockNumber = first & 1 == 0 ? .even : .odd
        switch (first & 0xFE, frame.count) {
        case (0x02, _):
            self = .information(
                number: number, continues: false, payload: Array(frame.dropFirst()))
        case (0x12, _):
            self = .information(number: number, continues: true, payload: Array(frame.dropFirst()))
        case (0xA2, 1): self = .acknowledge(number)
        case (0xB2, 1): self = .repeatRequest(number)
        // In an S-block, the bit for the block number must be 0.
        case (0xC2, 1) where number == .even: self = .deselect
        case (0xF2, 2) where number == .even:
            // The two highest bits report the field strength to readers that ask for it; ours never
            // asks.
            let multiplier = frame[1] & 0x3F
            guard TransmissionBlock.multipliers.contains(multiplier), frame[1] == multiplier else {
                return nil
            }
            self = .waitExtension(multiplier: multiplier)
        default: return nil
        }
    }

    /// The bytes to send, without the checksum.
    package var frame: [UInt8] {
        switch self {
        case .information(let number, let continues, let payload):
            [0x02 | number.rawValue | (continues ? TransmissionBlock.continued : 0)] + payload
        case .acknowledge(let number): [0xA2 | number.rawValue]
        case .repeatRequest(let number):
            [0xA2 | TransmissionBlock.negative | number.rawValue]
        case .waitExtension(let multiplier): [0xF2, multiplier]
        case .deselect: [0xC2]
        }
    }
}

/// The number of a block, which alternates, so that each side can recognize a repeated block.
package enum BlockNumber: UInt8, Hashable, Sendable, CaseIterable {
    case even = 0
    case odd = 1

    var other: BlockNumber { self == .even ? .odd : .even }
}
