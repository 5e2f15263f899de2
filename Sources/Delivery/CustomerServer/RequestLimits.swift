/// Limits the number of requests per minute for each key. If no more keys can be counted, the key
/// whose minute began first is dropped.
package struct RequestLimits<Key: Hashable & Sendable>: Sendable {
    private static var span: Int64 { 60_000 }

    private struct Minute {
        let start: Int64
        var count: Int

        // A minute that starts in the future also counts as over, so that a wrong clock cannot lock
        // anyone out.
        func isOver(at now: Int64) -> Bool { !(start..<start + span).contains(now) }
    }

    /// The maximum number of requests per minute for each key.
    private let maximum: Int
    /// The maximum number of keys counted at a time.
    private let maximumTracked: Int
    private var minutes: [Key: Minute] = [:]

    package init(maximum: Int, tracking maximumTracked: Int) {
        (self.maximum, self.maximumTracked) = (maximum, maximumTracked)
    }

    /// The number of keys that are being counted.
    package var counted: Int { minutes.count }

    /// Returns nil if the request is admitted; otherwise, returns the number of seconds until the
    /// next one will be admitted. `now` is in milliseconds on a monotonic clock.
    package mutating func admit(_ key: Key, at now: Int64) -> Int? {
        guard var minute = minutes[key], !minute.isOver(at: now) else {
            makeRoom(for: key, at: now)
            minutes[key] = Minute(start: now, count: 1)
            return nil
        }
        guard minute.count < maximum else {
            // The result is rounded up, because a client that waits this long must be admitted.
            return Int((minute.start + RequestLimits.span - now + 999) / 1_000)
        }
        minute.count += 1
        minutes[key] = minute
        return nil
    }

    private mutating func makeRoom(for key: Key, at now: Int64) {
        minutes[key] = nil
        guard minutes.count >= maximumTracked else { return }
        minutes = minutes.filter { !$0.value.isOver(at: now) }
        guard minutes.count >= maximumTracked else { return }
        if let oldest = minutes.min(by: { $0.value.start < $1.value.start }) {
            minutes[oldest.key] = nil
        }
    }
}
