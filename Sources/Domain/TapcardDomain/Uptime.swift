/// How long a machine has been running, on a monotonic clock.
///
/// The time of day may be wrong when an operation begins and be corrected later. In that case, only
/// the uptime shows how old the operation is, provided that the machine has not been restarted.
public struct Uptime: Hashable, Sendable, CustomStringConvertible {
    /// Identifies one boot of one machine.
    public let boot: String
    /// The milliseconds since the machine started.
    public let milliseconds: Int64

    /// Creates an uptime. Only uptimes from the same boot can be compared.
    public init(boot: String, milliseconds: Int64) {
        (self.boot, self.milliseconds) = (boot, milliseconds)
    }

    /// Parses the text of a `description`.
    public init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = Int64(parts[1]) else { return nil }
        self.init(boot: String(parts[0]), milliseconds: milliseconds)
    }

    public var description: String { "\(boot) \(milliseconds)" }

    /// The milliseconds since an earlier uptime; `nil` if the machine was restarted in between.
    public func millisecondsSince(_ earlier: Uptime) -> Int64? {
        guard boot == earlier.boot else { return nil }
        // Both values are milliseconds; `Timestamp` handles overflow.
        return Timestamp(milliseconds: milliseconds)
            .millisecondsSince(Timestamp(milliseconds: earlier.milliseconds))
    }
}
