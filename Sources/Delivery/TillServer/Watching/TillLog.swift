import BlockingLane
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs

/// The log: one line of JSON per event, without names, codes, passwords, or tokens.
///
/// It is written on a separate thread, so that a slow reader of standard error does not delay
/// requests. If the buffer is full, lines are dropped, and their number is logged once writing
/// works again.
final class TillLog: Sendable {
    private static let maximumLines = 1_024
    /// The maximum time to wait at the end. Lines not written by then are dropped.
    private static let endLimit = Duration.seconds(1)
    private static let pause = Duration.milliseconds(5)

    private let now: @Sendable () -> String
    private let lines: AsyncStream<String>.Continuation
    private let lost = Guarded(0)
    private let isDrained = Guarded(false)

    init(now: @escaping @Sendable () -> String, write: @escaping @Sendable (String) -> Void) {
        self.now = now
        let stream: AsyncStream<String>
        (stream, lines) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(TillLog.maximumLines))
        Task { [lost, isDrained] in
            let writer = LogWriter(write: write)
            for await line in stream {
                await writer.write(line)
                let count = lost.withLock { lost in
                    defer { lost = 0 }
                    return lost
                }
                guard count > 0 else { continue }
                await writer.write(
                    TillLog.line(
                        now(), "lines-lost",
                        ["lines": .number(String(count))]))
            }
            isDrained.withLock { $0 = true }
        }
    }

    /// Closes the log and waits, for a limited time, until it is written.
    func end() async {
        lines.finish()
        let limit = ContinuousClock.now.advanced(by: TillLog.endLimit)
        // Polls instead of waiting for the writer, which could take forever if nobody reads
        // standard error.
        while !isDrained.withLock({ $0 }), ContinuousClock.now < limit {
            try? await Task.sleep(for: TillLog.pause)
        }
    }

    private static func line(_ time: String, _ event: String, _ members: Members) -> String {
        (["at": .string(time), "event": .string(event)] + members).object.text + "\n"
    }

    func say(_ event: String, _ members: Members = [:]) {
        if case .dropped = lines.yield(TillLog.line(now(), event, members)) {
            lost.withLock { $0 += 1 }
        }
    }

    /// `till` is the number of the till; nil for the only till.
    func ended(_ operation: TillOperation, at till: Int?) {
        let problem = operation.answer?.problem
        let duration = operation.began.duration(to: .now)
        let place: Members = till.map { ["till": .number($0)] } ?? [:]
        say(
            "operation",
            place + [
                "operation": .string(operation.id.description),
                "verb": .string(operation.call.path),
                "result": .string(problem?.result.rawValue ?? "done"),
                "error": problem.map { .string($0.kind.word) } ?? .null,
                "uid": operation.uid.map { .string($0.description) } ?? .null,
                "milliseconds": .number(String(Int64(duration / .milliseconds(1)))),
            ])
    }
}

/// Writes lines on a separate thread, because a write can block.
private actor LogWriter {
    private nonisolated let lane = BlockingLane(label: "tapcard.log")
    private let text: @Sendable (String) -> Void

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe lane.asUnownedSerialExecutor()
    }

    init(write: @escaping @Sendable (String) -> Void) { text = write }

    func write(_ line: String) { text(line) }
}
