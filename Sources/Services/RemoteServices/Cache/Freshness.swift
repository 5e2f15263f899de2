package import TapcardDomain

/// Whether an answer that was kept is still good, by the rules of RFC 9111.
package struct Freshness: Hashable, Sendable {
    /// It may be used without asking.
    package let isFresh: Bool
    /// Seconds since the service last said that it is so, by our clock: what caches on the way had
    /// kept it for counts, too.
    package let age: Int
    /// It was received in what the clock now takes for the future: its age is not known.
    package let isClockSetBack: Bool

    package init(of entry: CacheEntry, at now: Timestamp) {
        let resident = now.millisecondsSince(entry.received) / 1_000
        isClockSetBack = now < entry.received || entry.received < entry.requested
        let policy = entry.policy
        let date = entry.head["date"].flatMap(HTTPDate.parsing)
        let apparentAge = date.map { entry.received.millisecondsSince($0) / 1_000 } ?? 0
        let delay = entry.received.millisecondsSince(entry.requested) / 1_000
        // What caches on the way have already used up of its life.
        let statedAge = entry.head[all: "age"].map { Int64(CachePolicy.seconds($0)) }.max() ?? 0
        let currentAge = max(apparentAge, statedAge + delay) + resident
        // What was made after it was asked for is no older than the question.
        let ageWhenAsked = date.map { entry.requested.millisecondsSince($0) / 1_000 } ?? 0
        age = Int(clamping: max(0, ageWhenAsked, statedAge) + resident)
        let lifetime = Freshness.lifetime(of: entry, policy, date)
        isFresh = !isClockSetBack && !policy.mustAsk && currentAge < lifetime
    }

    /// In seconds; an answer that says nothing of it is asked about each time.
    private static func lifetime(
        of entry: CacheEntry, _ policy: CachePolicy, _ date: Timestamp?
    ) -> Int64 {
        if let maxAge = policy.maxAge { return Int64(maxAge) }
        guard let expires = entry.head["expires"].flatMap(HTTPDate.parsing) else { return 0 }
        return expires.millisecondsSince(date ?? entry.received) / 1_000
    }
}

extension CacheEntry {
    /// How old the answer was when it came: 0 unless it lay in a cache on the way.
    var ageWhenReceived: Int { Freshness(of: self, at: received).age }
}
