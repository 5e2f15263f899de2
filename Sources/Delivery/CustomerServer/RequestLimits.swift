/// Limits how often each key may ask in a minute. When it is full, the key whose minute began first
/// is forgotten.
package struct RequestLimits<Key: Hashable & Sendable>: Sendable {
    private static var span: Int64 { 60_000 }

    private struct Minute {
        let start: Int64
        var count: Int

        // Also over if the clock was set back, which must not lock anyone out.
        func isOver(at now: Int64) -> Bool { !(start..<start + span).contains(now) }
    }

    /// The maximum number of requests per key in a minute.
    private let most: Int
    /// The maximum number of keys counted at a time.
    private let mostCounted: Int
    private var minutes: [Key: Minute] = [:]

    package init(most: Int, counting mostCounted: Int) {
        (self.most, self.mostCounted) = (most, mostCounted)
    }

    /// How many keys are being counted now.
    package var counted: Int { minutes.count }

    /// Nil for an admitted request; otherwise, the number of seconds until the next one is allowed.
    /// `now` is in milliseconds on a monotonic clock.
    package mutating func admit(_ key: Key, at now: Int64) -> Int? {
        guard var minute = minutes[key], !minute.isOver(at: now) else {
            makeRoom(for: key, at: now)
            minutes[key] = Minute(start: now, count: 1)
            return nil
        }
        guard minute.count < most else {
            // Rounded up: a client that waits this long must be admitted.
            return Int((minute.start + RequestLimits.span - now + 999) / 1_000)
        }
        minute.count += 1
        minutes[key] = minute
        return nil
    }

    private mutating func makeRoom(for key: Key, at now: Int64) {
        minutes[key] = nil
        guard minutes.count >= mostCounted else { return }
        minutes = minutes.filter { !$0.value.isOver(at: now) }
        guard minutes.count >= mostCounted else { return }
        if let oldest = minutes.min(by: { $0.value.start < $1.value.start }) {
            minutes[oldest.key] = nil
        }
    }
}
