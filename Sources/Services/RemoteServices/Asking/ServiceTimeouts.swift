/// The timeouts and retries for a service.
package struct ServiceTimeouts: Hashable, Sendable {
    /// The timeout for a connection attempt.
    package let connecting: Duration
    /// The timeout for all attempts together, including the pauses between them.
    package let whole: Duration
    /// The maximum number of attempts for a request that is safe to repeat.
    package let attempts: Int
    /// The pause before the second attempt; each pause is twice as long as the one before it.
    package let firstPause: Duration

    package init(
        connecting: Duration = .seconds(5), whole: Duration = .seconds(15), attempts: Int = 3,
        firstPause: Duration = .milliseconds(500)
    ) {
        (self.connecting, self.whole) = (connecting, whole)
        (self.attempts, self.firstPause) = (attempts, firstPause)
    }

    /// The timeouts for an activation.
    package static let activation = ServiceTimeouts()
    /// The timeouts for the lottery. They are short, because a cached response is the fallback.
    package static let lottery = ServiceTimeouts(connecting: .seconds(3), whole: .seconds(10))
    package static let mastermind = ServiceTimeouts(whole: .seconds(10))

    /// The pause after this attempt: a random duration between half the full pause and the full
    /// pause. The randomness keeps stations that lost a service at the same moment from retrying at
    /// the same moment.
    package func pause(after attempt: Int, random: (Int) -> Int) -> Duration {
        // The factor is limited to 1024, so that even many attempts do not cause an overflow.
        let full = firstPause * (1 << min(attempt - 1, 10))
        // `random` returns 0 to 999, so the full pause can be reached.
        return full / 2 + full / 2 * random(1_000) / 999
    }
}
