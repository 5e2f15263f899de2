/// Something that goes wrong once, at a chosen frame: so that every moment at which a card can be
/// pulled can be played through.
public struct Fault: Hashable, Sendable {
    /// Which frames are counted.
    public enum Counted: String, Sendable, CaseIterable {
        case write, frame
    }

    /// What goes wrong.
    public enum Kind: Hashable, Sendable {
        /// The card is gone before the frame reaches it.
        case lost
        /// The card loses its power while the page is programmed, and is gone.
        case torn(TornPage)
        /// The page is written, the acknowledge does not arrive, the card is gone.
        case acknowledgeLost
        /// The page is written and acknowledged, and then the card is gone.
        case pulledAfter
        /// The answer arrives with a wrong checksum; the card stays.
        case garbled
        /// The card refuses the frame; it stays, silent until selected again.
        case refused(UInt8)
        /// This process dies before the frame is sent.
        case killedBefore
        /// This process dies after the frame was carried out.
        case killedAfter
    }

    public let counted: Counted
    /// How many counted frames are still to pass: 1 is the next one.
    public var countdown: Int
    public let kind: Kind

    public init(at countdown: Int, counting counted: Counted, _ kind: Kind) {
        self.counted = counted
        self.countdown = countdown
        self.kind = kind
    }
}

/// What is left in a page whose programming was cut off.
public enum TornPage: Hashable, Sendable {
    case unchanged
    case new
    case zero
    /// Each bit that differs is the old or the new one, by this seed.
    case mix(seed: UInt64)
    /// The new content with only its lowest so many one-bits programmed.
    case lowestOnes(Int)
    /// The new content with only its highest so many one-bits programmed.
    case highestOnes(Int)
    /// The old content, erased but for its lowest so many one-bits.
    case erasedToLowestOnes(Int)
    /// The old content, erased but for its highest so many one-bits.
    case erasedToHighestOnes(Int)

    func content(old: UInt32, new: UInt32) -> UInt32 {
        switch self {
        case .unchanged: old
        case .new: new
        case .zero: 0
        case .mix(let seed): old & ~TornPage.mask(seed) | new & TornPage.mask(seed)
        case .lowestOnes(let count): TornPage.ones(of: new, count, fromTop: false)
        case .highestOnes(let count): TornPage.ones(of: new, count, fromTop: true)
        case .erasedToLowestOnes(let count): TornPage.ones(of: old, count, fromTop: false)
        case .erasedToHighestOnes(let count): TornPage.ones(of: old, count, fromTop: true)
        }
    }

    private static func ones(of value: UInt32, _ count: Int, fromTop: Bool) -> UInt32 {
        var kept: UInt32 = 0
        var left = count
        for place in 0..<32 where left > 0 {
            let bit: UInt32 = 1 << UInt32(fromTop ? 31 - place : place)
            if value & bit != 0 {
                kept |= bit
                left -= 1
            }
        }
        return kept
    }

    /// SplitMix64: the same bits for the same seed, everywhere and for ever.
    private static func mask(_ seed: UInt64) -> UInt32 {
        var mixed = seed &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return UInt32(truncatingIfNeeded: mixed ^ mixed >> 31)
    }
}
