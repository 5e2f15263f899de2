import BlockingLane
import TapcardDomain
import TextCodecs
package import Verbs

/// Runs a command for each event, one at a time and at most once: an event whose command was
/// interrupted is not repeated.
package actor ExecOutput: EventOutput {
    /// How many events wait while a command runs.
    package static let maximumWaiting = 64
    /// The longest text that is passed on in a variable; longer ones are only on standard input.
    private static let maximumVariableSize = 4_096

    private let command: ChildCommand
    private let requiredTrust: TapEvent.Trust?
    private let maximumAge: Duration?
    private let stamp: @Sendable () -> TapEvent.Stamp
    private let say: @Sendable (String) -> Void
    private var waiting: [TapEvent] = []
    private var missed = 0
    private var worker: Task<Void, Never>?
    private let isStopped = Guarded(false)
    private var isOver = false

    /// With `requiredTrust`, the command runs only when a tag arrives with at least this trust.
    /// Events older than `maximumAge` are dropped.
    package init(
        _ command: ChildCommand, requiring requiredTrust: TapEvent.Trust? = nil,
        maximumAge: Duration? = nil, _ stamp: @escaping @Sendable () -> TapEvent.Stamp,
        say: @escaping @Sendable (String) -> Void
    ) {
        (self.command, self.requiredTrust, self.maximumAge) = (command, requiredTrust, maximumAge)
        (self.stamp, self.say) = (stamp, say)
    }

    package func take(_ event: TapEvent) -> Bool {
        if let requiredTrust {
            guard event.kind == .arrived, let trust = event.trust, trust >= requiredTrust else {
                return true
            }
        }
        waiting.append(event)
        if waiting.count > ExecOutput.maximumWaiting {
            waiting.removeFirst()
            missed += 1
        }
        if worker == nil { worker = Task { await work() } }
        return true
    }

    /// Drops the waiting events, and waits until the running command has ended. After a short time,
    /// it is ended.
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
            let now = stamp().at
            let milliseconds = Int64(maximumAge / .milliseconds(1))
            let count = waiting.count
            waiting.removeAll { now.millisecondsSince($0.at) > milliseconds }
            missed += count - waiting.count
        }
        guard missed > 0 else { return waiting.isEmpty ? nil : waiting.removeFirst() }
        let count = missed
        missed = 0
        // A command that opens something must run only for a trusted tag.
        guard requiredTrust == nil else {
            say("\(count) events were dropped, because the command took too long.")
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
        case .killed(let signal): say("The command \(name) was ended by signal \(signal).")
        case .timedOut: say("The command \(name) took too long and was ended.")
        case .notStarted(let reason): say("The command \(name) could not be started: \(reason).")
        }
    }

    /// The variables that describe an event. A value that a variable cannot hold is left out.
    package static func variables(of event: TapEvent) -> [String: String] {
        [
            "TAPCARD_EVENT": event.kind.rawValue, "TAPCARD_ID": event.id,
            "TAPCARD_READER": event.reader, "TAPCARD_UID": event.uid,
            "TAPCARD_TRUST": event.trust?.rawValue, "TAPCARD_TEXT": event.text,
            "TAPCARD_URL": event.url,
        ].compactMapValues { value in
            guard let value, value.utf8.count <= maximumVariableSize, !value.utf8.contains(0)
            else { return nil }
            return value
        }
    }
}
