import BlockingLane
import PortDoubles
import RemoteReader
import Tags

/// The line between an agent and its server, on which tests arrange faults. Time limits pass only
/// while the line is down.
final class AgentRelay: AgentLine {
    enum Fault: CaseIterable, Sendable {
        case messageLost, answerLost, doubled, repeatedLater, messageTruncated, answerTruncated
        /// The answer to an earlier poll or exchange comes instead of the right one.
        case answerRepeated
        /// The line goes down and stays down: messages fail at once.
        case cut
        /// The line goes down and stays down: messages get no answer.
        case stalled
        /// The line goes down after the message has arrived, and stays down.
        case cutBeforeAnswer

        /// Whether the line stays down.
        var isLasting: Bool {
            switch self {
            case .cut, .stalled, .cutBeforeAnswer: true
            default: false
            }
        }
    }

    private struct State: Sendable {
        var count = 0
        var faults: [Int: Fault] = [:]
        var isDown = false
        var hangs = false
        var attachments = 0
        var earlier: (AgentCall, [UInt8])?
        var commandAnswer: [UInt8]?
        /// Tasks that wait until the line is down.
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var sleepers = 0
    }

    let reader: RemoteReader
    private let state = Guarded(State())

    init() {
        let box = Guarded<AgentRelay?>(nil)
        let clock = LineClock.movedBySleep { _ in try await box.withLock { $0 }?.untilDown() }
        reader = RemoteReader(named: "the till's reader", clock: clock)
        box.withLock { $0 = self }
    }

    /// The number of messages so far.
    var count: Int { state.withLock { $0.count } }
    var isDown: Bool { state.withLock { $0.isDown } }
    var attachments: Int { state.withLock { $0.attachments } }

    /// Makes the fault happen at this message, counted from now on.
    func arrange(_ fault: Fault, at message: Int) {
        state.withLock { $0.faults[$0.count + message] = fault }
    }

    func mend() {
        state.withLock { ($0.isDown, $0.hangs, $0.faults) = (false, false, [:]) }
    }

    /// Runs the body while an agent drives a reader over this line.
    func serving<Result>(
        _ own: any TagReader, _ body: () async throws -> Result
    ) async throws -> Result {
        // The pauses pass by themselves; a pause that waited for the line to go down would never end
        // after the line was mended. Only the limit on the field does.
        var limits = ReaderAgent.Limits()
        limits.pauses = .microseconds(200)...(.milliseconds(2))
        let field = limits.field
        let agent = ReaderAgent(
            own, self, release: "test", limits: limits,
            random: { [UInt8](repeating: 7, count: $0) },
            clock: .movedBySleep { limit in
                if limit == field { return try await self.untilDown() }
                try await Task.sleep(for: limit)
            }, report: { _ in })
        let task = Task { await agent.run() }
        await untilAttached()
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        task.cancel()
        mend()
        // This ends the open poll.
        await reader.detach()
        _ = await task.value
        return try result.get()
    }

    func untilAttached() async {
        while await reader.greeting == nil { try? await Task.sleep(for: .milliseconds(1)) }
    }

    private func untilDown() async throws {
        let number = state.withLock { state in
            state.sleepers += 1
            return state.sleepers
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.isDown || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        try Task.checkCancellation()
    }

    private func deliver(_ call: AgentCall, _ message: [UInt8]) async -> [UInt8]? {
        guard call == .attach else { return await reader.answer(to: call, message)?.message }
        guard let greeting = AgentGreeting(message) else { return nil }
        let epoch = state.withLock { state in
            state.attachments += 1
            return UInt64(state.attachments)
        }
        return await reader.attach(greeting, epoch: epoch).message
    }

    func send(_ call: AgentCall, _ message: [UInt8]) async throws(AgentLineError) -> [UInt8] {
        let offline = AgentLineError.offline("the line is down")
        let (fault, earlier, due) = state.withLock { state in
            state.count += 1
            let fault = state.faults[state.count]
            var due: [CheckedContinuation<Void, Never>] = []
            if fault?.isLasting == true {
                state.isDown = true
                due = Array(state.waiting.values)
                state.waiting = [:]
            }
            if fault == .stalled { state.hangs = true }
            defer { state.earlier = (call, message) }
            return (fault, state.earlier, due)
        }
        for continuation in due { continuation.resume() }
        while state.withLock({ $0.hangs }), !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(1))
        }
        if fault == .cutBeforeAnswer { _ = await deliver(call, message) }
        guard !isDown else { throw offline }
        var sent = message
        switch fault {
        case .messageLost: throw offline
        case .messageTruncated: sent = Array(message.prefix(message.count / 2))
        case .doubled: Task { await deliver(call, message) }
        case .repeatedLater:
            if let earlier { _ = Task { await deliver(earlier.0, earlier.1) } }
        default: break
        }
        if fault == .answerRepeated, call.waitsForCommand,
            let answer = state.withLock({ $0.commandAnswer })
        {
            return answer
        }
        guard let answer = await deliver(call, sent) else { throw offline }
        if call.waitsForCommand { state.withLock { $0.commandAnswer = answer } }
        // The line may have gone down while the poll was open.
        guard fault != .answerLost, !isDown else { throw offline }
        return fault == .answerTruncated ? Array(answer.prefix(answer.count / 2)) : answer
    }
}
