import OperatingSystem
package import TapcardDomain

/// The clocks and the random source. They are passed in so that tests can control them.
package struct ServiceDependencies: Sendable {
    /// The time of day. It can be set back, so it is used only for responses stored on disk.
    package let now: @Sendable () -> Timestamp
    /// A monotonic clock.
    package let uptime: @Sendable () -> Duration
    /// Sleeps; throws if the task is canceled.
    package let sleep: @Sendable (Duration) async throws -> Void
    /// Returns a random integer from 0 up to, but not including, its argument.
    package let random: @Sendable (Int) -> Int

    package init(
        now: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable (Int) -> Int
    ) {
        (self.now, self.uptime, self.sleep, self.random) = (now, uptime, sleep, random)
    }

    /// This machine's clocks and random source.
    package static let system: ServiceDependencies = {
        let start = ContinuousClock.now
        return ServiceDependencies(
            now: { Timestamp(milliseconds: SystemClock.millisecondsSince1970) },
            uptime: { start.duration(to: .now) },
            sleep: { try await Task.sleep(for: $0) },
            random: { Int.random(in: 0..<$0) })
    }()
}
