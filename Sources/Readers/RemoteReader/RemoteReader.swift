import ReaderProcess
public import Tags
import TapcardDomain

/// A reader on another machine, where an agent drives it.
///
/// Each command is sent as the response to a poll, one at a time. If a reply is late or invalid,
/// the server detaches the reader, which a tap sees as a lost reader. The server does not repeat
/// the command, and the reader cannot be used until the agent attaches it again.
public actor RemoteReader: BatchReader {
    /// The command that makes the agent wait up to an hour for a tag. It stays with the agent while
    /// the server's shorter waits start and end.
    private static let watch = ReaderRequest.select(milliseconds: 3_600_000)

    /// The command that has no reply yet.
    private struct Pending {
        let command: AgentCommand
        /// The caller that waits for the reply; nil if it has stopped waiting.
        var caller: Caller?
    }

    /// A caller that waits for a reply. It has a number, because several callers may wait for the
    /// same reply, one after another.
    private struct Caller {
        let number: UInt64
        let continuation: CheckedContinuation<Outcome, Never>
    }

    /// How a wait for a reply ended.
    private enum Outcome {
        case reply(ReaderReply)
        case failed(ReaderError)
        /// The wait was interrupted, for example because another call needs the reader.
        case interrupted
    }

    private let clock: LineClock
    private let note: @Sendable (AgentLineEvent) -> Void
    private var agent: (attachment: AgentAttachment, greeting: AgentGreeting)?
    /// The latest attachment, which may have ended or may be at another server; nil if there was
    /// none.
    private var latest: AgentAttachment?
    private var summary: ReaderSummary
    private var lastCommand: UInt64 = 0
    private var lastCaller: UInt64 = 0
    /// The callers whose time limit has passed.
    private var lateCallers: Set<UInt64> = []
    private var pending: Pending?
    /// The number of the command that selected the tag; nil if no tag is selected.
    private var selection: UInt64?
    /// The open poll.
    private var poll: CheckedContinuation<AgentResponse, Never>?
    /// When each running time limit expires.
    private var deadlines: [LineLimit: Duration] = [:]
    /// The time limits for which a task is sleeping.
    private var watched: Set<LineLimit> = []
    /// The signal to give when the tag is released, which the next command does.
    private var signal: TagSignal?
    private var isTaken = false
    /// The number of ``ask(_:selection:)`` calls in the queue.
    private var asking = 0
    private var queue: [CheckedContinuation<Void, Never>] = []

    /// Creates a reader for an agent that attaches later, and calls `note` for each event on the
    /// line to it. `name` is the reader's name until then, and `latest` is the latest attachment of
    /// an agent to this till at any server.
    package init(
        named name: String, latest: AgentAttachment? = nil, clock: LineClock,
        note: @escaping @Sendable (AgentLineEvent) -> Void = { _ in }
    ) {
        (self.latest, self.clock, self.note) = (latest, clock, note)
        summary = ReaderSummary(name: name, maximumAnswerLength: 0)
    }

    public var name: String { summary.name }
    public var maximumAnswerLength: Int { summary.maximumAnswerLength }
    /// The attached agent's greeting; nil if no agent is attached.
    package var greeting: AgentGreeting? { agent?.greeting }

    public func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let reply: ReaderReply
        if limit > .zero {
            reply = try await wait(within: limit) { () throws(ReaderError) in
                // If the agent is already watching for a tag, it needs no new command, so an idle
                // till causes little traffic.
                if !isWatching { try send(RemoteReader.watch) }
            }
        } else {
            reply = try await ask(.select(milliseconds: 0))
        }
        guard case .tag(let identity, let summary) = reply else { throw detachForInvalidReply() }
        self.summary = summary
        return identity
    }

    public func exchange(_ batch: [BatchItem]) async -> BatchReport {
        guard let selection else {
            return BatchReport(failure: ReaderError(.tagLost, "no tag is selected"))
        }
        do throws(ReaderError) {
            guard case .report(let report) = try await ask(.batch(batch), selection: selection),
                report.isPlausible(for: batch)
            else { throw detachForInvalidReply() }
            return report
        } catch {
            return BatchReport(failure: error)
        }
    }

    public func waitForRemoval(
        of uid: [UInt8]?, sawSeveral: Bool, pause: @Sendable () async throws -> Void
    ) async -> ReaderError? {
        do throws(ReaderError) {
            _ = try await wait(within: nil) { () throws(ReaderError) in
                try send(.removal(of: uid, sawSeveral: sawSeveral))
            }
            return nil
        } catch {
            return error.kind == .cancelled ? nil : error
        }
    }

    public func release() { release(signaling: nil) }

    /// Releases the tag with the next command, so that this needs no round trip. If no command
    /// follows, the agent turns the field off on its own.
    public func release(signaling signal: TagSignal?) {
        selection = nil
        self.signal = signal ?? self.signal
    }

    /// Whether the agent is waiting for a tag.
    private var isWatching: Bool { pending?.command.request == RemoteReader.watch }

    /// Sends a command that does not wait for a tag, and returns the agent's reply.
    private func ask(
        _ request: ReaderRequest, selection: UInt64 = 0
    ) async throws(ReaderError) -> ReaderReply {
        // A caller that is waiting for a tag gives way, and continues to wait afterward.
        if let waiting = pending?.caller, pending?.command.request.isWait == true {
            leave(waiting.number, .interrupted)
        }
        asking += 1
        await waitForTurn()
        asking -= 1
        defer { endTurn() }
        try send(request, selection: selection)
        lastCaller += 1
        start(.reply)
        switch await outcome(for: lastCaller) {
        case .reply(let reply): return reply
        case .failed(let error): throw error
        case .interrupted: throw lost()
        }
    }

    /// Waits until a tag arrives or is removed. `begin` sends the command if the agent needs one.
    private func wait(
        within limit: Duration?, _ begin: () throws(ReaderError) -> Void
    ) async throws(ReaderError) -> ReaderReply {
        lastCaller += 1
        let own = lastCaller
        let alarm = limit.map { limit in
            Task {
                guard (try? await clock.sleep(limit)) != nil else { return }
                lateCallers.insert(own)
                leave(own, .failed(ReaderError(.noTag)))
            }
        }
        defer {
            alarm?.cancel()
            lateCallers.remove(own)
        }
        while !Task.isCancelled {
            if lateCallers.contains(own) { throw ReaderError(.noTag) }
            await waitForTurn()
            defer { endTurn() }
            try begin()
            switch await outcome(for: own) {
            case .reply(let reply): return reply
            case .failed(let error): throw error
            case .interrupted: continue
            }
        }
        throw ReaderError(.cancelled)
    }

    private func waitForTurn() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { queue.append($0) }
    }

    private func endTurn() {
        if queue.isEmpty { isTaken = false } else { queue.removeFirst().resume() }
    }

    private func send(_ request: ReaderRequest, selection: UInt64 = 0) throws(ReaderError) {
        guard agent != nil else {
            throw ReaderError(.noReader, "the till's reader is not connected to the server")
        }
        lastCommand += 1
        if case .batch = request {
            pending = Pending(command: AgentCommand(lastCommand, request, selection: selection))
        } else {
            pending = Pending(command: AgentCommand(lastCommand, request, signaling: signal))
            (self.selection, signal) = (nil, nil)
        }
        deliver()
    }

    /// Waits for the reply to the pending command.
    private func outcome(for own: UInt64) async -> Outcome {
        guard let command = pending?.command else { return .failed(lost()) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard pending?.command.number == command.number else {
                    return continuation.resume(returning: .failed(lost()))
                }
                pending?.caller = Caller(number: own, continuation: continuation)
                guard command.request.isWait else { return }
                if asking > 0 || Task.isCancelled || lateCallers.contains(own) {
                    leave(own, .interrupted)
                }
            }
        } onCancel: {
            // An exchange is never interrupted, because its outcome would be unknown.
            if command.request.isWait { Task { await self.leave(own, .interrupted) } }
        }
    }

    /// Ends a caller's wait for a reply. The command is not canceled, so an agent that is watching
    /// for a tag keeps watching.
    private func leave(_ caller: UInt64, _ outcome: Outcome) {
        guard pending?.caller?.number == caller else { return }
        pending?.caller?.continuation.resume(returning: outcome)
        pending?.caller = nil
    }

    private func detachForInvalidReply() -> ReaderError {
        detach()
        return ReaderError(.readerLost, "the till's machine sent an invalid reply")
    }

    private func lost() -> ReaderError {
        ReaderError(.readerLost, "the connection to the till's reader was lost")
    }

    /// Sends the pending command as the response to the open poll, if there are both.
    private func deliver() {
        if let pending { answerPoll(answer(with: pending)) }
    }

    private func answer(with pending: Pending) -> AgentResponse {
        agent.map { .command(pending.command, epoch: $0.attachment.epoch) } ?? .detached
    }

    /// Attaches an agent's reader, which ends any earlier attachment.
    package func attach(_ greeting: AgentGreeting, epoch: UInt64) -> AgentResponse {
        guard greeting.newest >= AgentProtocol.oldest else {
            return .outdated(oldest: AgentProtocol.oldest)
        }
        // A newer attachment may have got here first, or may be at another server.
        if let latest, latest.epoch > epoch { return .detached }
        let attachment = AgentAttachment(greeting.run, epoch: epoch)
        detach(for: attachment)
        agent = (attachment, greeting)
        note(.attached(greeting))
        summary = ReaderSummary(name: greeting.reader, maximumAnswerLength: 0)
        start(.silence)
        return .attached(epoch: epoch, version: min(greeting.newest, AgentProtocol.version))
    }

    /// Detaches the reader, because of a newer attachment if one is given. The pending command
    /// fails as if the reader was lost. Returns whether another agent replaces the attached one.
    @discardableResult
    package func detach(for newer: AgentAttachment? = nil) -> Bool {
        let ended = agent?.attachment
        if ended != nil { note(.detached) }
        agent = nil
        latest = newer ?? latest
        deadlines = [:]
        (selection, signal) = (nil, nil)
        pending?.caller?.continuation.resume(returning: .failed(lost()))
        pending = nil
        let answer = ended.flatMap { refusal(of: $0) } ?? .detached
        answerPoll(answer)
        return answer == .replaced
    }

    /// Returns the next command, or `nothing` if there is none within the time limit.
    package func answer(to request: AgentPoll) async -> AgentResponse {
        if let refusal = refusal(of: request.attachment) { return refusal }
        note(.heard)
        // When an agent polls again, it has given up on its earlier poll.
        answerPoll(.nothing)
        if let pending, pending.command.number > request.last {
            start(.silence)
            return answer(with: pending)
        }
        deadlines[.silence] = nil
        start(.poll)
        return await withCheckedContinuation { poll = $0 }
    }

    /// Accepts the reply to the pending command. Duplicates and replies to earlier commands are
    /// ignored.
    package func accept(_ report: AgentReport) -> AgentResponse {
        if let refusal = refusal(of: report.attachment) { return refusal }
        note(.heard)
        guard let pending, pending.command.number == report.number else { return .nothing }
        guard report.reply.fits(pending.command.request) else {
            detach()
            return .detached
        }
        note(.answered)
        (self.pending, deadlines[.reply]) = (nil, nil)
        if case .tag = report.reply { selection = report.number }
        guard let caller = pending.caller else { return .nothing }
        if case .failed(let error) = report.reply {
            caller.continuation.resume(returning: .failed(error))
        } else {
            caller.continuation.resume(returning: .reply(report.reply))
        }
        return .nothing
    }

    /// How to refuse a message that belongs to another attachment; nil if it belongs to this one.
    private func refusal(of attachment: AgentAttachment) -> AgentResponse? {
        if let agent,
            agent.attachment == attachment || SafetyRule.onlyCurrentAttachment.isDisabled
        {
            return nil
        }
        // An agent that moves to another server, or attaches again, is not replaced.
        guard let latest, latest.run != attachment.run, latest.epoch >= attachment.epoch else {
            return .detached
        }
        return .replaced
    }

    private func answerPoll(_ answer: AgentResponse) {
        guard let poll else { return }
        self.poll = nil
        deadlines[.poll] = nil
        if agent != nil { start(.silence) }
        poll.resume(returning: answer)
    }

    /// Starts a time limit. If it is already running, it starts over.
    private func start(_ limit: LineLimit) {
        deadlines[limit] = clock.now() + limit.duration
        // Starting a timer for every message is expensive, and almost none of those timers would
        // ever fire. The one running timer is kept, and only its deadline is moved.
        guard watched.insert(limit).inserted else { return }
        Task { await watch(limit) }
    }

    private func watch(_ limit: LineLimit) async {
        while let deadline = deadlines[limit] {
            let rest = deadline - clock.now()
            if rest > .zero { try? await clock.sleep(rest) } else { pass(limit) }
        }
        watched.remove(limit)
    }

    private func pass(_ limit: LineLimit) {
        deadlines[limit] = nil
        switch limit {
        case .poll: answerPoll(.nothing)
        case .reply, .silence: detach()
        }
    }
}
