import BlockingLane
package import TapcardDomain
package import Verbs

/// Sends events to one destination, one at a time.
package protocol EventCourier: Sendable {
    /// The name of the destination in messages, such as "The webhook".
    var name: String { get }
    /// Whether to stay connected while there is nothing to send.
    var isKept: Bool { get }

    func send(_ entry: EventQueue.Entry) async -> Delivery
    /// Keeps the connection alive, or reconnects.
    func keep() async -> Delivery
    /// Closes the connection.
    func end() async
}

extension EventCourier {
    package var isKept: Bool { false }
    package func keep() async -> Delivery { .accepted }
    package func end() async {}
}

/// The result of sending an event.
package enum Delivery: Sendable, Hashable {
    /// The destination has the event.
    case accepted
    /// Sending failed. The event is sent again, after this time at the earliest.
    case failed(String, waiting: Duration = .zero)
    /// The destination rejected this event, perhaps because of its content. The event is sent again
    /// until the limit is reached, then dropped.
    case refused(String, Patience, waiting: Duration = .zero)
}

/// How often, and for how long, an event may be refused before it is dropped.
package struct Patience: Sendable, Hashable {
    fileprivate let attempts: Int
    fileprivate let time: Duration

    /// For a response that rejects this event.
    package static let short = Patience(attempts: 5, time: .zero)
    /// For a response that may also come from a temporary problem at the destination. The pauses
    /// allow about 22 attempts per hour. Outages do not count.
    package static let long = Patience(attempts: 20, time: .seconds(3_600))
}

/// Delivers events from a durable queue in order. Sends each until it is accepted or dropped.
package actor QueuedOutput: EventOutput {
    private static let firstPause = Duration.seconds(1)
    private static let maximumPause = Duration.seconds(300)
    /// How often an idle connection is checked.
    private static let keepingPause = Duration.seconds(1)

    private let courier: any EventCourier
    /// Older events, and those from the future, are dropped.
    private let maximumAge: Duration?
    private let now: @Sendable () -> Timestamp
    private let sleep: @Sendable (Duration) async throws -> Void
    private let say: @Sendable (String) -> Void
    private var queue: EventQueue
    private var worker: Task<Void, Never>?
    /// The sleep of an idle worker.
    private var nap: Task<Void, Never>?
    /// The last rejected event, how often it was rejected, and when it was first rejected.
    private var refused = (
        id: "", patience: Patience.short, count: 0, since: Timestamp(milliseconds: 0)
    )
    private var isFailing = false
    private var isFull = false
    /// A separate thread, because storing an event blocks until the disk has written it.
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

    /// Starts delivering the events of earlier runs. Connects if the courier stays connected.
    package func begin() {
        guard worker == nil, courier.isKept || !queue.isEmpty else { return }
        worker = Task { await work() }
    }

    package func take(_ event: TapEvent) -> Bool {
        let problem = queue.add(event)
        if let problem, !isFull {
            say(
                "\(courier.name)'s queue cannot be written: \(problem). "
                    + "Until it can, its events are dropped and counted in a gap.")
        } else if problem == nil, isFull {
            say("\(courier.name)'s queue can be written again.")
        }
        isFull = problem != nil
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
        while !Task.isCancelled {
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
            case .refused(let reason, let patience, let waiting):
                isConnected = false
                fail(reason)
                if let entry, isDropped(entry, after: patience) { continue }
                await retry(after: &pause, atLeast: waiting)
            case .failed(let reason, let waiting):
                isConnected = false
                fail(reason)
                await retry(after: &pause, atLeast: waiting)
            }
        }
        worker = nil
    }

    /// Waits before the next attempt and doubles the pause.
    private func retry(after pause: inout Duration, atLeast waiting: Duration) async {
        // Jitter keeps many stations from retrying at the same moment.
        let full = max(pause * Double.random(in: 0.5...1), waiting)
        pause = min(pause * 2, QueuedOutput.maximumPause)
        // The sleep is interrupted only if the output ends.
        _ = try? await sleep(min(full, QueuedOutput.maximumPause))
    }

    /// Counts a refusal. Returns true if the event was refused too often and has been dropped.
    private func isDropped(_ entry: EventQueue.Entry, after patience: Patience) -> Bool {
        if refused.id != entry.id || refused.patience != patience {
            refused = (entry.id, patience, 0, now())
        }
        refused.count += 1
        let milliseconds = now().milliseconds - refused.since.milliseconds
        guard refused.count >= patience.attempts, .milliseconds(milliseconds) >= patience.time
        else { return false }
        say("\(courier.name) repeatedly rejected event \(entry.id), so it was dropped.")
        queue.giveUp(entry)
        return true
    }

    private func next() -> EventQueue.Entry? {
        if let maximumAge { queue.expire(after: maximumAge, at: now()) }
        return queue.first()
    }

    /// Waits until the connection is due for a check or an event arrives.
    private func rest() async {
        let sleep = sleep
        // It does not matter whether the sleep ended early.
        let nap = Task { _ = try? await sleep(QueuedOutput.keepingPause) }
        self.nap = nap
        // `end` may have run before `self.nap` was set.
        if Task.isCancelled { nap.cancel() }
        await nap.value
        self.nap = nil
    }

    private func fail(_ reason: String) {
        guard !isFailing, !Task.isCancelled else { return }
        isFailing = true
        say(
            "\(courier.name) is not accepting events: \(reason.shown). "
                + "They stay queued until it does."
        )
    }
}
