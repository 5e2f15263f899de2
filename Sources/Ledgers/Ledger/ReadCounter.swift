/// The counter that an NTAG 424 adds to the URL of its page. It increases each time a phone taps
/// the tag.
public struct ReadCounter: Hashable, Comparable, Sendable {
    /// The highest possible value: the chip stores 24 bits.
    public static let highest: UInt32 = 0xFF_FFFF

    /// The number of reads by phones.
    public let value: UInt32

    /// Creates a counter; nil if the number does not fit in 24 bits.
    public init?(_ value: UInt32) {
        guard value <= ReadCounter.highest else { return nil }
        self.value = value
    }

    /// Whether the left counter is from an earlier tap.
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
