import BlockingLane

/// The message for work that is cut short when the process ends.
package final class LastWords: Sendable {
    private let words = Guarded<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Sets the message; nil once the work reports its own result.
    package func set(_ say: (@Sendable () -> Void)?) { words.withLock { $0 = say } }

    /// Prints the message and ends the process. The lock ensures that only the message or the
    /// result is printed.
    package func speak(before end: () -> Void) {
        words.withLock { say in
            say?()
            end()
        }
    }
}
