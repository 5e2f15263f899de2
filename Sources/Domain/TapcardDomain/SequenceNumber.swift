/// The number of a card's record. A card's numbers only increase, and none is used twice.
public struct SequenceNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number.
    public let value: UInt32

    /// Zero, the number before the first record.
    public static let none = SequenceNumber(trusted: 0)
    /// The maximum number that fits in a record's three-byte field.
    public static let last: UInt32 = 0xFF_FFFF
    /// The maximum number; no number follows it.
    public static let highest = SequenceNumber(trusted: last)

    /// Creates a sequence number; `nil` if the value exceeds the maximum.
    public init?(_ value: UInt32) {
        guard value <= SequenceNumber.last else { return nil }
        self.value = value
    }

    private init(trusted value: UInt32) { self.value = value }

    /// The number this many steps after this one; `nil` if that is beyond the maximum.
    public func next(_ step: UInt32 = 1) -> SequenceNumber? {
        let (sum, overflow) = value.addingReportingOverflow(step)
        return overflow ? nil : SequenceNumber(sum)
    }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    public var description: String { String(value) }
}
