import BlockingLane

/// The message to print if the process ends before its work is done.
package final class FinalMessage: Sendable {
    private let message = Guarded<(@Sendable () -> Void)?>(nil)

    package init() {}

    /// Sets the message, or removes it (nil) once the work reports its own result.
    package func set(_ say: (@Sendable () -> Void)?) { message.withLock { $0 = say } }

    /// Prints the message and ends the process. The lock ensures that either the message or the
    /// result is printed, never both.
    package func deliver(before end: () -> Void) {
        message.withLock { say in
            say?()
            end()
        }
    }
}
