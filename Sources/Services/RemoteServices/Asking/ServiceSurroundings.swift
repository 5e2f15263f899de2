import OperatingSystem
package import TapcardDomain

/// The clocks and the random source: parameters, so that tests control them.
package struct ServiceSurroundings: Sendable {
    /// The time of day, which may be set back: only used for answers kept on disk.
    package let now: @Sendable () -> Timestamp
    /// A monotonic clock.
    package let uptime: @Sendable () -> Duration
    /// Sleeps; throws when the task was cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void
    /// A random number below its argument.
    package let random: @Sendable (Int) -> Int

    package init(
        now: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable (Int) -> Int
    ) {
        (self.now, self.uptime, self.sleep, self.random) = (now, uptime, sleep, random)
    }

    /// The clocks and the random source of the machine.
    package static let system: ServiceSurroundings = {
        let start = ContinuousClock.now
        return ServiceSurroundings(
            now: { Timestamp(milliseconds: SystemClock.millisecondsSince1970) },
            uptime: { start.duration(to: .now) },
            sleep: { try await Task.sleep(for: $0) },
            random: { Int.random(in: 0..<$0) })
    }()
}
