import BlockingLane

/// Bytes for one listener, sent as they come. The queue is bounded: a listener that does not read
/// what it is sent is dropped, and holds up nobody else.
public final class WebStream: Sendable {
    private struct State {
        var queue: [[UInt8]] = []
        var isFinished = false
        var isGone = false
    }

    private let capacity: Int
    private let onGone: @Sendable () -> Void
    private let state = Guarded(State())

    /// At most `capacity` bytes wait for the listener. `onGone` is called once when the listener
    /// has gone, was dropped, or the server is down; it runs on the server's thread and must not
    /// keep it.
    public init(capacity: Int, onGone: @escaping @Sendable () -> Void = {}) {
        self.capacity = capacity
        self.onGone = onGone
    }

    /// Queues bytes; false when nobody listens any more.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        state.withLock { state in
            guard !state.isGone, !state.isFinished else { return false }
            state.queue.append(bytes)
            return true
        }
    }

    /// Ends the answer behind what is queued.
    public func finish() {
        state.withLock { $0.isFinished = true }
    }
}
