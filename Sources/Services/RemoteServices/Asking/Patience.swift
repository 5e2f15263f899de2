/// The timeouts and retries for a service.
package struct Patience: Hashable, Sendable {
    /// The timeout for a connection attempt.
    package let connecting: Duration
    /// The timeout for all attempts together, including the pauses.
    package let whole: Duration
    /// The maximum number of attempts for a harmless request.
    package let attempts: Int
    /// The pause before the second attempt; each further pause is twice as long.
    package let firstPause: Duration

    package init(
        connecting: Duration = .seconds(5), whole: Duration = .seconds(15), attempts: Int = 3,
        firstPause: Duration = .milliseconds(500)
    ) {
        (self.connecting, self.whole) = (connecting, whole)
        (self.attempts, self.firstPause) = (attempts, firstPause)
    }

    /// The patience for an activation: 15 s altogether.
    package static let activation = Patience()
    /// The patience for the lottery: short, because the cache is the fallback.
    package static let lottery = Patience(connecting: .seconds(3), whole: .seconds(10))
    package static let mastermind = Patience(whole: .seconds(10))

    /// The pause after attempt number `done`: random, between half of its full length and all of
    /// it, so that stations that lost a service at the same moment do not all retry at once.
    package func pause(after done: Int, random: (Int) -> Int) -> Duration {
        // At most 1024 times as long, so that there is no overflow for any number of attempts.
        let full = firstPause * (1 << min(done - 1, 10))
        // `random` returns 0 to 999, so the full pause can be reached.
        return full / 2 + full / 2 * random(1_000) / 999
    }
}
