import BlockingLane

/// The message for work that is cut short by the end of the process.
package final class LastWords: Sendable {
    private let words = Guarded<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Sets the message; nil once the work reports its own result.
    package func set(_ say: (@Sendable () -> Void)?) { words.withLock { $0 = say } }

    /// Prints the message and ends the process. The lock lets only one of message and result be
    /// printed.
    package func speak(before end: () -> Void) {
        words.withLock { say in
            say?()
            end()
        }
    }
}
