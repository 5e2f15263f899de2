import BlockingLane

/// A stream of bytes for one listener, sent as they are queued. The queue is bounded: a listener
/// that does not read is dropped, so that it delays no other client.
public final class WebStream: Sendable {
    fileprivate struct State {
        var queue: [[UInt8]] = []
        /// The first queue entry that is not completely read, and the bytes read of it.
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
        /// No bytes yet; the server is woken when there are some.
        case later
        case finished
        case gone
    }

    private let capacity: Int
    private let onGone: @Sendable () -> Void
    private let state = Guarded(State())

    /// `capacity` is the most bytes that wait for the listener. `onGone` is called at most once,
    /// when the listener has left, was dropped, or the server is down before `finish()`; it runs on
    /// the server's thread and must not block it.
    public init(capacity: Int, onGone: @escaping @Sendable () -> Void = {}) {
        self.capacity = capacity
        self.onGone = onGone
    }

    /// Queues bytes. `false` if the listener is gone.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        change { state in
            guard !state.isGone, !state.isFinished else { return false }
            guard !bytes.isEmpty else { return true }
            guard state.queuedBytes + bytes.count <= capacity else {
                state.drop()
                return false
            }
            state.queue.append(bytes)
            state.queuedBytes += bytes.count
            return true
        }
    }

    /// Ends the answer after the queued bytes.
    public func finish() {
        change { $0.isFinished = true }
    }

    /// Makes a change, and wakes the server if it waits for one or has to drop the listener.
    private func change<Answer>(_ body: (inout State) -> Answer) -> Answer {
        let (answer, wake) = state.withLock { state in
            let wasGone = state.isGone
            let answer = body(&state)
            let isNews =
                state.isAwaited && (state.queuedBytes > 0 || state.isFinished || state.isGone)
            // A dropped listener has to be cut even if nobody waits for bytes.
            guard isNews || state.isGone != wasGone else { return (answer, nil as Wake?) }
            state.isAwaited = false
            return (answer, state.wake)
        }
        // Outside the lock, as it posts to the server's mailbox.
        wake?()
        return answer
    }

    private typealias Wake = @Sendable () -> Void

    /// Connects the server, which begins to send. `false` if the stream already has a listener.
    func attach(_ wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
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

    /// Handles that the listener has left.
    func leave() {
        state.withLock { $0.drop() }
    }

    var isGone: Bool { state.withLock { $0.isGone } }

    /// Handles that the server stops sending, for any reason.
    func detach() {
        let isFinished = state.withLock { state in
            state.drop()
            return state.isFinished
        }
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
                // Frees the bytes at once; the entries go when all are read.
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
