import BlockingLane
import TapcardDomain
import TextCodecs
package import Verbs

/// Runs a command for each event, one at a time and at most once. An interrupted command is not run
/// again.
package actor ExecOutput: EventOutput {
    /// The maximum number of events waiting for the running command.
    package static let maximumWaiting = 64
    /// The maximum size of a variable in bytes. Longer values are only in the JSON on standard
    /// input.
    private static let maximumVariableSize = 4_096

    private let command: ChildCommand
    private let requiredTrust: TapEvent.Trust?
    private let maximumAge: Duration?
    private let stamp: @Sendable () -> TapEvent.Stamp
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let say: @Sendable (String) -> Void
    private var waiting: [(event: TapEvent, since: ContinuousClock.Instant)] = []
    private var missed = 0
    private var worker: Task<Void, Never>?
    private let isStopped = Guarded(false)
    private var isOver = false

    /// If `requiredTrust` is set, the command runs only for arriving tags with at least this trust.
    /// Events older than `maximumAge` are dropped. `clock` cannot be set, so an event that waits too
    /// long is dropped even if the system's clock was set back.
    package init(
        _ command: ChildCommand, requiring requiredTrust: TapEvent.Trust? = nil,
        maximumAge: Duration? = nil, _ stamp: @escaping @Sendable () -> TapEvent.Stamp,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        say: @escaping @Sendable (String) -> Void
    ) {
        (self.command, self.requiredTrust, self.maximumAge) = (command, requiredTrust, maximumAge)
        (self.stamp, self.clock, self.say) = (stamp, clock, say)
    }

    package func take(_ event: TapEvent) -> Bool {
        if let requiredTrust {
            guard event.kind == .arrived, let trust = event.trust, trust >= requiredTrust else {
                return true
            }
        }
        waiting.append((event, clock()))
        if waiting.count > ExecOutput.maximumWaiting {
            waiting.removeFirst()
            missed += 1
        }
        if worker == nil { worker = Task { await work() } }
        return true
    }

    /// Drops the waiting events and waits for the running command, which is killed after a short
    /// grace period.
    package func end() async {
        (waiting, missed, isOver) = ([], 0, true)
        isStopped.withLock { $0 = true }
        await worker?.value
    }

    private func work() async {
        while let event = next() { await run(event) }
        worker = nil
    }

    private func next() -> TapEvent? {
        if isOver { return nil }
        if let maximumAge {
            let (now, time, count) = (clock(), stamp().at, waiting.count)
            // With --from, an event may already be old when it is received.
            waiting.removeAll { event, since in
                now - since > maximumAge || event.at.isExpired(at: time, after: maximumAge)
            }
            missed += count - waiting.count
        }
        guard missed > 0 else { return waiting.isEmpty ? nil : waiting.removeFirst().event }
        let count = missed
        missed = 0
        // A gap has no trusted tag, so a command that opens a door must not run for it.
        guard requiredTrust == nil else {
            say("Events dropped because they were too old or too many: \(count).")
            return next()
        }
        return .gap(count, stamp())
    }

    private func run(_ event: TapEvent) async {
        let outcome = await command.run(
            input: Array((event.document.text + "\n").utf8), ExecOutput.variables(of: event),
            until: isStopped)
        let name = command.words[0].shown
        switch outcome {
        case .exited(0): break
        case .exited(let status): say("The command \(name) ended with status \(status).")
        case .killed(let signal): say("The command \(name) was killed by signal \(signal).")
        case .timedOut: say("The command \(name) took too long and was stopped.")
        case .notStarted(let reason): say("The command \(name) could not be started: \(reason).")
        }
    }

    /// Returns the environment variables for an event. Leaves out values that are too long or
    /// contain NUL.
    package static func variables(of event: TapEvent) -> [String: String] {
        [
            "TAPCARD_EVENT": event.kind.rawValue, "TAPCARD_ID": event.id,
            "TAPCARD_TIME": LocalTime.iso(event.at), "TAPCARD_READER_NAME": event.reader,
            "TAPCARD_UID": event.uid, "TAPCARD_KIND": event.chip,
            "TAPCARD_TRUST": event.trust?.rawValue, "TAPCARD_TEXT": event.text,
            "TAPCARD_URL": event.url,
        ].compactMapValues { value in
            guard let value, value.utf8.count <= maximumVariableSize, !value.utf8.contains(0)
            else { return nil }
            return value
        }
    }
}
