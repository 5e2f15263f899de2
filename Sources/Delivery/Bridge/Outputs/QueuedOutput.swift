import BlockingLane
package import TapcardDomain
package import Verbs

/// Takes events to where they are wanted, one at a time.
package protocol EventCourier: Sendable {
    /// How the other side is called in messages, such as "The webhook".
    var name: String { get }
    /// Whether the connection has to be kept while there is nothing to send.
    var isKept: Bool { get }

    func send(_ entry: EventQueue.Entry) async -> Delivery
    /// Keeps the connection, or makes a new one.
    func keep() async -> Delivery
    /// Closes the connection.
    func end() async
}

extension EventCourier {
    package var isKept: Bool { false }
    package func keep() async -> Delivery { .accepted }
    package func end() async {}
}

/// What became of an event that was sent.
package enum Delivery: Sendable, Hashable {
    /// The other side has it, so it need not be sent again.
    case accepted
    /// It has to be sent again, but not before this time has passed.
    case failed(String, waiting: Duration = .zero)
    /// The other side may be refusing this event because of its content. It is sent again a few
    /// times, then dropped.
    case refused(String)
    /// The other side wants no more events.
    case over(String)
}

/// Delivers events from a durable queue, in order, each until it has been accepted.
package actor QueuedOutput: EventOutput {
    private static let firstPause = Duration.seconds(1)
    private static let maximumPause = Duration.seconds(300)
    private static let maximumRefusals = 5
    /// The pause between two looks after a connection that has nothing to send.
    private static let keepingPause = Duration.seconds(1)

    private let courier: any EventCourier
    /// An event that is older than this is dropped instead of sent.
    private let maximumAge: Duration?
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    private let say: @Sendable (String) -> Void
    private var queue: EventQueue
    private var worker: Task<Void, Never>?
    /// The sleep of a worker with nothing to send.
    private var nap: Task<Void, Never>?
    /// The event that was refused last, and the number of times.
    private var refused: (id: String, count: Int) = ("", 0)
    private var isFailing = false
    private var isOver = false
    /// Storing an event waits for the disk.
    private nonisolated let lane = BlockingLane(label: "tapcard.queue")

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    package init(
        _ courier: any EventCourier, _ queue: EventQueue, maximumAge: Duration?,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        say: @escaping @Sendable (String) -> Void
    ) {
        (self.courier, self.maximumAge) = (courier, maximumAge)
        (self.now, self.sleep, self.say) = (now, sleep, say)
        self.queue = queue
    }

    /// Delivers what earlier runs left in the queue, and connects if the connection is to be kept.
    package func begin() {
        guard worker == nil, courier.isKept || !queue.isEmpty else { return }
        worker = Task { await work() }
    }

    package func take(_ event: TapEvent) -> Bool {
        guard !isOver else { return true }
        queue.add(event)
        nap?.cancel()
        begin()
        return true
    }

    package func end() async {
        worker?.cancel()
        nap?.cancel()
        await worker?.value
        await courier.end()
    }

    private func work() async {
        var pause = QueuedOutput.firstPause
        var isConnected = false
        while !Task.isCancelled, !isOver {
            let entry = next()
            if entry == nil {
                guard courier.isKept else { break }
                if isConnected { await rest() }
            }
            let delivery = if let entry { await courier.send(entry) } else { await courier.keep() }
            switch delivery {
            case .accepted:
                if let entry { queue.remove(entry) }
                if isFailing { say("\(courier.name) accepts events again.") }
                (isConnected, isFailing, pause) = (true, false, QueuedOutput.firstPause)
            case .refused(let reason):
                fail(reason)
                if let entry, isDropped(entry) { continue }
                guard await retry(after: &pause, atLeast: .zero) else { break }
            case .failed(let reason, let waiting):
                isConnected = false
                if !Task.isCancelled { fail(reason) }
                guard await retry(after: &pause, atLeast: waiting) else { break }
            case .over(let reason):
                isOver = true
                say("\(courier.name) wants no more events (\(reason)), so none are sent.")
            }
        }
        worker = nil
    }

    /// Waits before the next attempt, and doubles the pause. Returns false if the output is ending.
    private func retry(after pause: inout Duration, atLeast waiting: Duration) async -> Bool {
        // Without jitter, many stations would all try again at the same moment.
        let full = max(pause * Double.random(in: 0.5...1), waiting)
        pause = min(pause * 2, QueuedOutput.maximumPause)
        do { try await sleep(min(full, QueuedOutput.maximumPause)) } catch { return false }
        return true
    }

    /// Counts a refusal. Drops the event and returns true if it has been refused too often.
    private func isDropped(_ entry: EventQueue.Entry) -> Bool {
        refused = (entry.id, refused.id == entry.id ? refused.count + 1 : 1)
        guard refused.count >= QueuedOutput.maximumRefusals else { return false }
        say("\(courier.name) refuses the event \(entry.id), so it is dropped.")
        queue.giveUp(entry)
        return true
    }

    private func next() -> EventQueue.Entry? {
        if let maximumAge {
            let milliseconds = Int64(maximumAge / .milliseconds(1))
            queue.expire(before: now().adding(milliseconds: -milliseconds))
        }
        return queue.first()
    }

    /// Waits until it is time to look after the connection, or until an event comes.
    private func rest() async {
        let sleep = sleep
        // The end of a nap is all that counts, not whether it was interrupted.
        let nap = Task { _ = try? await sleep(QueuedOutput.keepingPause) }
        self.nap = nap
        // An output that is ended before the nap began would not interrupt it.
        if Task.isCancelled { nap.cancel() }
        await nap.value
        self.nap = nil
    }

    private func fail(_ reason: String) {
        guard !isFailing else { return }
        isFailing = true
        say("\(courier.name) cannot be reached: \(reason.shown). Events wait until it can be.")
    }
}
