import BlockingLane

/// What has to be said of work that nobody waits for any more, where the process ends in the
/// middle of it.
package final class LastWords: Sendable {
    private let words = Guarded<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Nil once the work speaks for itself.
    package func set(_ say: (@Sendable () -> Void)?) { words.withLock { $0 = say } }

    /// Whoever comes to say how the work ended waits meanwhile: one of the two is said.
    package func speak(before end: () -> Void) {
        words.withLock { say in
            say?()
            end()
        }
    }
}
