package import TapcardDomain

/// The freshness of a cached answer, by the rules of RFC 9111.
package struct Freshness: Hashable, Sendable {
    /// Whether it may be used without a request.
    package let isFresh: Bool
    /// Seconds since the service last confirmed it, by our clock, including the time in caches on
    /// the way.
    package let age: Int
    /// Whether the time of receipt lies in the future of the clock, so that the age is not known.
    package let isClockSetBack: Bool

    package init(of entry: CacheEntry, at now: Timestamp) {
        let resident = now.millisecondsSince(entry.received) / 1_000
        isClockSetBack = now < entry.received || entry.received < entry.requested
        let policy = entry.policy
        let date = entry.head["date"].flatMap(HTTPDate.parsing)
        let apparentAge = date.map { entry.received.millisecondsSince($0) / 1_000 } ?? 0
        let delay = entry.received.millisecondsSince(entry.requested) / 1_000
        // The part of its lifetime that caches on the way have used up.
        let statedAge = entry.head[all: "age"].map { Int64(CachePolicy.seconds($0)) }.max() ?? 0
        let currentAge = max(apparentAge, statedAge + delay) + resident
        // An answer created after the request cannot be older than it.
        let ageWhenAsked = date.map { entry.requested.millisecondsSince($0) / 1_000 } ?? 0
        age = Int(clamping: max(0, ageWhenAsked, statedAge) + resident)
        let lifetime = Freshness.lifetime(of: entry, policy, date)
        isFresh = !isClockSetBack && !policy.mustAsk && currentAge < lifetime
    }

    /// The lifetime in seconds. An answer without one is requested each time.
    private static func lifetime(
        of entry: CacheEntry, _ policy: CachePolicy, _ date: Timestamp?
    ) -> Int64 {
        if let maxAge = policy.maxAge { return Int64(maxAge) }
        guard let expires = entry.head["expires"].flatMap(HTTPDate.parsing) else { return 0 }
        return expires.millisecondsSince(date ?? entry.received) / 1_000
    }
}

extension CacheEntry {
    /// The age of the answer when it arrived: 0 unless it came from a cache on the way.
    var ageWhenReceived: Int { Freshness(of: self, at: received).age }
}
