/// A point in time, in milliseconds since the start of 1970 in UTC. Callers pass it in, because the
/// domain does not read any clock.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// The milliseconds since the start of 1970 in UTC.
    public let milliseconds: Int64

    /// Creates a time from the milliseconds since the start of 1970 in UTC.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func < (left: Self, right: Self) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The time this many milliseconds later, limited to the range of representable times.
    public func adding(milliseconds more: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(more)
        return Timestamp(milliseconds: overflow ? (more < 0 ? .min : .max) : sum)
    }

    /// The milliseconds that have passed since `earlier`; 0 if the clock was set back.
    public func millisecondsSince(_ earlier: Timestamp) -> Int64 {
        let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        // The difference overflows only if the signs differ, so the sign shows which time is later.
        return overflow ? (milliseconds < 0 ? 0 : .max) : max(0, difference)
    }
}
