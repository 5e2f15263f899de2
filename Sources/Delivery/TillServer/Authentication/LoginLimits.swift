/// Limits on wrong passwords, codes, and tokens. They are counted separately for each client
/// address, or for the cashier who is logged in there, so that someone at another address cannot
/// lock out a cashier.
///
/// Only failed attempts count, because cashiers at many tills behind one address may log in at
/// once. A successful login clears the failures for its name and origin.
package struct LoginLimits: Sendable {
    /// The maximum number of wrong passwords for one name from one origin.
    package static let maximumPerName = 5
    /// The maximum number of wrong passwords for all names from one origin.
    package static let maximumPerOrigin = 20
    private static let span: Int64 = 60_000

    private var failures: [(at: Int64, name: String, origin: String)] = []

    package init() {}

    /// The number of seconds until another attempt is allowed; nil if one is allowed now. `now` is
    /// in milliseconds on a monotonic clock.
    package mutating func wait(_ name: String, from origin: String, at now: Int64) -> Int? {
        failures.removeAll { $0.at + LoginLimits.span <= now }
        let own = failures.filter { $0.origin == origin }
        let named = own.filter { $0.name == name }
        let waits = [(named, LoginLimits.maximumPerName), (own, LoginLimits.maximumPerOrigin)]
            .compactMap { failures, maximum in
                // Another attempt is allowed once the oldest of the last `maximum` failures is
                // older than the time span.
                failures.count < maximum
                    ? nil : failures[failures.count - maximum].at + LoginLimits.span - now
            }
        // The result is rounded up, because a client that waits this long must not be refused
        // again.
        return waits.max().map { Int(($0 + 999) / 1_000) }
    }

    /// Counts a wrong password. Because checking passwords is slow, no more than a few hundred
    /// failures accumulate within the time span.
    package mutating func fail(_ name: String, from origin: String, at now: Int64) {
        failures.append((now, name, origin))
    }

    package mutating func forgive(_ name: String, from origin: String) {
        failures.removeAll { $0.name == name && $0.origin == origin }
    }
}
