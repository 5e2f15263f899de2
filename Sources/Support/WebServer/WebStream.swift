import BlockingLane

/// A stream of bytes for one listener, sent as they are queued. The queue is bounded: a listener
/// that does not read is dropped, so that it does not delay other clients.
public final class WebStream: Sendable {
    fileprivate struct State {
        var queue: [[UInt8]] = []
        /// The first queue entry that has not been read completely, and how many of its bytes have
        /// been read.
        var first = 0
        var read = 0
        var queuedBytes = 0
        /// Whether the server is waiting for more.
        var isAwaited = false
        var isFinished = false
        var isGone = false
        var wake: (@Sendable () -> Void)?
    }

    /// The result of reading the queue.
    enum Reading {
        case bytes(Int)
        /// No bytes yet; the server will be woken when there are some.
        case later
        case finished
        case gone
    }

    private let capacity: Int
    private let onGone: @Sendable () -> Void
    private let state = Guarded(State())

    /// `capacity` is the maximum number of bytes that may wait for the listener. `onGone` is called
    /// at most once, when the listener has disconnected or was dropped, or if the server goes down
    /// before `finish()`; it runs on the server's thread and must not block it.
    public init(capacity: Int, onGone: @escaping @Sendable () -> Void = {}) {
        self.capacity = capacity
        self.onGone = onGone
    }

    /// Queues bytes. Returns `false` if the listener is gone or the stream is finished.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        change { state in
            guard !state.isGone, !state.isFinished else { return false }
            guard !bytes.isEmpty else { return true }
            // A listener that does not keep up is dropped.
            guard state.queuedBytes + bytes.count <= capacity else {
                state.drop()
                return false
            }
            state.queue.append(bytes)
            state.queuedBytes += bytes.count
            return true
        }
    }

    /// Ends the response after the queued bytes.
    public func finish() {
        change { $0.isFinished = true }
    }

    /// Makes a change, and wakes the server if it is waiting for a change or has to drop the
    /// listener.
    private func change<Answer>(_ body: (inout State) -> Answer) -> Answer {
        let (answer, wake) = state.withLock { state in
            let wasGone = state.isGone
            let answer = body(&state)
            let mustWake =
                state.isAwaited && (state.queuedBytes > 0 || state.isFinished || state.isGone)
            // A dropped listener has to be cut off even if no one is waiting for bytes.
            guard mustWake || state.isGone != wasGone else { return (answer, nil as Wake?) }
            state.isAwaited = false
            return (answer, state.wake)
        }
        // `wake` is called outside the lock, because it posts to the server's mailbox.
        wake?()
        return answer
    }

    private typealias Wake = @Sendable () -> Void

    /// Connects the server, which then starts sending. Returns `false` if the stream already has a
    /// listener.
    func attach(_ wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            // `wake` is never cleared, so a stream can be attached only once.
            guard state.wake == nil else { return false }
            state.wake = wake
            return true
        }
    }

    /// Moves queued bytes into the buffer.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
        state.withLock { state in
            if state.isGone { return .gone }
            guard state.queuedBytes > 0 else {
                state.isAwaited = !state.isFinished
                return state.isFinished ? .finished : .later
            }
            return .bytes(unsafe state.move(into: buffer))
        }
    }

    /// Drops the queue after the listener has disconnected.
    func leave() {
        state.withLock { $0.drop() }
    }

    var isGone: Bool { state.withLock { $0.isGone } }

    /// Drops the queue when the server stops sending for any reason, and calls `onGone` if the
    /// stream is not finished.
    func detach() {
        let isFinished = state.withLock { state in
            state.drop()
            return state.isFinished
        }
        // `onGone` is called outside the lock, because it runs the owner's code.
        if !isFinished { onGone() }
    }
}

extension WebStream.State {
    mutating func drop() {
        isGone = true
        queue = []
        first = 0
        read = 0
        queuedBytes = 0
    }

    mutating func move(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var moved = 0
        while moved < buffer.count, first < queue.count {
            let part = queue[first].dropFirst(read).prefix(buffer.count - moved)
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[moved...]).copyBytes(from: part)
            moved += part.count
            read += part.count
            if read == queue[first].count {
                // This frees the bytes immediately; the entries are removed when all of them have
                // been read.
                queue[first] = []
                first += 1
                read = 0
            }
        }
        if first == queue.count {
            queue = []
            first = 0
        }
        queuedBytes -= moved
        return moved
    }
}
