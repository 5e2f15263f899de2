public import Tags

/// The content of a page whose programming was interrupted.
public enum TornPage: Hashable, Sendable {
    /// The old content is still there.
    case unchanged
    /// The new content is there.
    case new
    /// All bits are zero.
    case zero
    /// Each differing bit has either its old or its new value, chosen by this seed.
    case mix(seed: UInt64)
    /// The new content with only this many of its lowest one-bits programmed.
    case lowestOnes(Int)
    /// The new content with only this many of its highest one-bits programmed.
    case highestOnes(Int)
    /// The old content, erased except for this many of its lowest one-bits.
    case erasedToLowestOnes(Int)
    /// The old content, erased except for this many of its highest one-bits.
    case erasedToHighestOnes(Int)
    /// The new content with only some of its one-bits programmed, chosen by this seed.
    case someOnes(seed: UInt64)
    /// The old content, erased except for some of its one-bits, chosen by this seed.
    case erasedToSomeOnes(seed: UInt64)

    /// The content of a page that contained `old` and was supposed to contain `new`.
    public func content(old: Page, new: Page) -> Page {
        TornPage.page(content(old: TornPage.number(old), new: TornPage.number(new)))
    }

    private func content(old: UInt32, new: UInt32) -> UInt32 {
        switch self {
        case .unchanged: old
        case .new: new
        case .zero: 0
        // A set bit in the mask selects the new bit; a clear bit selects the old one.
        case .mix(let seed): old & ~TornPage.mask(seed) | new & TornPage.mask(seed)
        case .lowestOnes(let count): TornPage.ones(of: new, count, fromTop: false)
        case .highestOnes(let count): TornPage.ones(of: new, count, fromTop: true)
        case .erasedToLowestOnes(let count): TornPage.ones(of: old, count, fromTop: false)
        case .erasedToHighestOnes(let count): TornPage.ones(of: old, count, fromTop: true)
        case .someOnes(let seed): new & TornPage.mask(seed)
        case .erasedToSomeOnes(let seed): old & TornPage.mask(seed)
        }
    }

    private static func ones(of value: UInt32, _ count: Int, fromTop: Bool) -> UInt32 {
        var kept: UInt32 = 0
        var remaining = count
        for index in 0..<32 where remaining > 0 {
            let bit: UInt32 = 1 << UInt32(fromTop ? 31 - index : index)
            if value & bit != 0 {
                kept |= bit
                remaining -= 1
            }
        }
        return kept
    }

    /// Pseudo-random bits from SplitMix64. The same seed always gives the same bits, so that a test
    /// can be repeated.
    private static func mask(_ seed: UInt64) -> UInt32 {
        var mixed = seed &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return UInt32(truncatingIfNeeded: mixed ^ mixed >> 31)
    }

    private static func number(_ page: Page) -> UInt32 {
        page.bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func page(_ number: UInt32) -> Page {
        func byte(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: number >> shift) }
        return Page(byte(24), byte(16), byte(8), byte(0))
    }
}
