/// How long a service is asked, and how often.
public struct Patience: Hashable, Sendable {
    /// How long a connection may take to come about.
    public let connecting: Duration
    /// From the first attempt to the end of the last one, the pauses included.
    public let whole: Duration
    /// The most times a harmless request is made.
    public let attempts: Int
    /// Before the second attempt; before each further one twice as long as before.
    public let firstPause: Duration

    public init(
        connecting: Duration = .seconds(5), whole: Duration = .seconds(15), attempts: Int = 3,
        firstPause: Duration = .milliseconds(500)
    ) {
        (self.connecting, self.whole) = (connecting, whole)
        (self.attempts, self.firstPause) = (attempts, firstPause)
    }

    /// A code is asked about for 15 s in all.
    public static let activation = Patience()
    /// The lottery has its cache: nobody waits long for what is known.
    public static let lottery = Patience(connecting: .seconds(3), whole: .seconds(10))
    public static let mastermind = Patience(whole: .seconds(10))

    /// The pause behind attempt number `done`: half of its full length to all of it, so that
    /// stations which lost a service together do not come back together.
    package func pause(after done: Int, random: (Int) -> Int) -> Duration {
        let full = firstPause * (1 << min(done - 1, 10))
        return full / 2 + full / 2 * random(1_000) / 999
    }
}
