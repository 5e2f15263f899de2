import BlockingLane

/// Bytes for one listener, sent as they come. The queue is bounded: a listener that does not read
/// what it is sent is dropped, and holds up nobody else.
public final class WebStream: Sendable {
    fileprivate struct State {
        var queue: [[UInt8]] = []
        /// The first of the queue that is not read to its end, and how much of it is.
        var first = 0
        var read = 0
        var queuedBytes = 0
        /// The server waits for more.
        var isAwaited = false
        var isFinished = false
        var isGone = false
        var wake: (@Sendable () -> Void)?
    }

    /// What there is to be sent.
    enum Reading {
        case bytes(Int)
        /// Nothing yet; the server is woken when there is something.
        case later
        case finished
        case gone
    }

    private let capacity: Int
    private let onGone: @Sendable () -> Void
    private let state = Guarded(State())

    /// At most `capacity` bytes wait for the listener. `onGone` is called at most once, when the
    /// listener has left, was dropped, or the server is down before `finish()`; it runs on the
    /// server's thread and must not keep it.
    public init(capacity: Int, onGone: @escaping @Sendable () -> Void = {}) {
        self.capacity = capacity
        self.onGone = onGone
    }

    /// Queues bytes; false when nobody listens any more.
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

    /// Ends the answer behind what is queued.
    public func finish() {
        change { $0.isFinished = true }
    }

    /// Makes a change and wakes the server where it waits for one, or has to drop the listener.
    private func change<Answer>(_ body: (inout State) -> Answer) -> Answer {
        let (answer, wake) = state.withLock { state in
            let wasGone = state.isGone
            let answer = body(&state)
            let isNews =
                state.isAwaited && (state.queuedBytes > 0 || state.isFinished || state.isGone)
            guard isNews || state.isGone != wasGone else { return (answer, nil as Wake?) }
            state.isAwaited = false
            return (answer, state.wake)
        }
        wake?()
        return answer
    }

    private typealias Wake = @Sendable () -> Void

    /// The server begins to send; false where it does so to somebody already.
    func attach(_ wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.wake == nil else { return false }
            state.wake = wake
            return true
        }
    }

    /// Moves what is queued into the buffer.
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

    /// The listener has left.
    func leave() {
        state.withLock { $0.drop() }
    }

    var isGone: Bool { state.withLock { $0.isGone } }

    /// The server sends no more, whatever the reason.
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
