import ReaderProcess
public import Tags
import TapcardDomain

/// A reader on another machine, where an agent drives it.
///
/// Commands go to the agent as answers to its polls, one at a time. If a reply is late or invalid,
/// the attachment ends: nothing is resent, and the next selection needs a new attachment. For the
/// tap, the reader is lost.
public actor RemoteReader: BatchReader {
    /// The time limits.
    package struct Limits: Sendable {
        /// How long a reply may take, unless the command waits for a tag or its removal.
        package var reply = Duration.seconds(5)
        /// How long a poll stays open if there is no command.
        package var poll = Duration.seconds(8)
        /// How long an agent may have no poll open.
        package var silence = Duration.seconds(10)

        package init() {}
    }

    /// Waits up to an hour for a tag. After that, the command is sent again.
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
        /// Another call needs the reader for a moment.
        case interrupted
    }

    private let limits: Limits
    private let sleep: @Sendable (Duration) async throws -> Void
    private var agent: (attachment: AgentAttachment, greeting: AgentGreeting)?
    private var summary: ReaderSummary
    private var number: UInt64 = 0
    private var callers: UInt64 = 0
    /// The callers whose time is up.
    private var lateCallers: Set<UInt64> = []
    private var pending: Pending?
    /// The number of the command that selected the tag; nil if no tag is selected.
    private var selection: UInt64?
    /// The open poll, with its number.
    private var poll: (number: UInt64, continuation: CheckedContinuation<AgentAnswer, Never>)?
    private var polls: UInt64 = 0
    private var silence: Task<Void, Never>?
    /// Whether the field is known to be off, so that a release needs no command.
    private var isReleased = true
    private var isTaken = false
    /// How many calls wait for their turn without waiting for a tag.
    private var asking = 0
    private var queue: [CheckedContinuation<Void, Never>] = []

    package init(
        named name: String, limits: Limits = Limits(),
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.limits = limits
        self.sleep = sleep
        summary = ReaderSummary(name: name, maximumAnswerLength: 0)
    }

    /// Creates a reader for an agent that attaches later. `name` is the reader's name until then.
    public init(named name: String) {
        self.init(named: name) { try await Task.sleep(for: $0) }
    }

    public var name: String { summary.name }
    public var maximumAnswerLength: Int { summary.maximumAnswerLength }
    /// What the attached agent said about itself; nil if no agent is attached.
    package var greeting: AgentGreeting? { agent?.greeting }

    public func select(within limit: Duration) async throws(ReaderError) -> TagIdentity {
        let reply: ReaderReply
        if limit > .zero {
            reply = try await wait(within: limit) { () throws(ReaderError) in
                // A watch that goes on at the agent serves every wait for a tag, so that an idle
                // till needs no command for each of them.
                if !isWatching { try send(RemoteReader.watch) }
            }
        } else {
            reply = try await ask(.select(milliseconds: 0))
        }
        guard case .tag(let identity, let summary) = reply else { throw impossible() }
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
            else { throw impossible() }
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

    public func release() async { await release(signaling: nil) }

    public func release(signaling signal: TagSignal?) async {
        // While the agent waits for a tag, there is no selected tag to release.
        guard !(isReleased || isWatching) || signal != nil else { return }
        do throws(ReaderError) {
            _ = try await ask(.release(signal))
        } catch {
            // When an attachment is lost, the agent turns the field off on its own.
            return
        }
    }

    /// Whether the agent is waiting for a tag.
    private var isWatching: Bool { pending?.command.request == RemoteReader.watch }

    /// Sends a command to which the agent replies without waiting for a tag.
    private func ask(
        _ request: ReaderRequest, selection: UInt64 = 0
    ) async throws(ReaderError) -> ReaderReply {
        // Whoever waits for a tag makes room, and waits again afterward.
        if let waiting = pending?.caller, pending?.command.request.isWait == true {
            leave(waiting.number, .interrupted)
        }
        asking += 1
        await take()
        asking -= 1
        defer { pass() }
        try send(request, selection: selection)
        callers += 1
        switch await outcome(within: limits.reply, for: callers) {
        case .reply(let reply): return reply
        case .failed(let error): throw error
        case .interrupted: throw lost()
        }
    }

    /// Waits for something that happens in the field. `begin` sends the command for it.
    private func wait(
        within limit: Duration?, _ begin: () throws(ReaderError) -> Void
    ) async throws(ReaderError) -> ReaderReply {
        callers += 1
        let own = callers
        let alarm = limit.map { limit in
            Task {
                guard (try? await sleep(limit)) != nil else { return }
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
            await take()
            defer { pass() }
            try begin()
            switch await outcome(within: nil, for: own) {
            case .reply(let reply): return reply
            case .failed(let error): throw error
            case .interrupted: continue
            }
        }
        throw ReaderError(.cancelled)
    }

    private func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { queue.append($0) }
    }

    private func pass() {
        if queue.isEmpty { isTaken = false } else { queue.removeFirst().resume() }
    }

    private func send(_ request: ReaderRequest, selection: UInt64 = 0) throws(ReaderError) {
        guard agent != nil else {
            throw ReaderError(.noReader, "the till's reader is not connected to the server")
        }
        number += 1
        pending = Pending(command: AgentCommand(number, request, selection: selection))
        switch request {
        case .batch: break
        case .release: (self.selection, isReleased) = (nil, true)
        case .select, .removal, .cancel: (self.selection, isReleased) = (nil, false)
        }
        deliver()
    }

    /// Waits for the reply to the command that is outstanding. If time runs out, the attachment is
    /// over.
    private func outcome(within limit: Duration?, for own: UInt64) async -> Outcome {
        guard let command = pending?.command else { return .failed(lost()) }
        let alarm = limit.map { limit in
            Task {
                guard (try? await sleep(limit)) != nil else { return }
                expire(command.number)
            }
        }
        defer { alarm?.cancel() }
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

    /// Ends a caller's wait for a reply. The command is not canceled, so an agent that waits for a
    /// tag goes on waiting.
    private func leave(_ caller: UInt64, _ outcome: Outcome) {
        guard pending?.caller?.number == caller else { return }
        pending?.caller?.continuation.resume(returning: outcome)
        pending?.caller = nil
    }

    private func expire(_ number: UInt64) {
        if pending?.command.number == number { end() }
    }

    private func impossible() -> ReaderError {
        end()
        return ReaderError(.readerLost, "the till sent an invalid reply")
    }

    private func lost() -> ReaderError {
        ReaderError(.readerLost, "the connection to the till's reader was lost")
    }

    /// Answers the open poll with the current command, if there are both.
    private func deliver() {
        guard let poll, let pending else { return }
        self.poll = nil
        poll.continuation.resume(returning: answer(with: pending))
    }

    private func answer(with pending: Pending) -> AgentAnswer {
        agent.map { .command(pending.command, epoch: $0.attachment.epoch) } ?? .over
    }

    /// Attaches an agent's reader, which ends any earlier attachment.
    package func attach(_ greeting: AgentGreeting, epoch: UInt64) -> AgentAnswer {
        guard greeting.newest >= AgentProtocol.oldest else {
            return .outdated(oldest: AgentProtocol.oldest)
        }
        // A later attachment may have been quicker.
        if let agent, agent.attachment.epoch >= epoch { return .over }
        if let agent, agent.attachment.boot != greeting.boot { answerPoll(.replaced) }
        end()
        agent = (AgentAttachment(greeting.boot, epoch: epoch), greeting)
        summary = ReaderSummary(name: greeting.reader, maximumAnswerLength: 0)
        watchSilence()
        return .attached(epoch: epoch, version: min(greeting.newest, AgentProtocol.version))
    }

    /// Ends the attachment.
    package func end() {
        agent = nil
        silence?.cancel()
        (selection, isReleased) = (nil, true)
        pending?.caller?.continuation.resume(returning: .failed(lost()))
        pending = nil
        answerPoll(.over)
    }

    /// Returns the next command, or `nothing` if none comes in time.
    package func answer(to request: AgentPoll) async -> AgentAnswer {
        if let refusal = refusal(of: request.attachment) { return refusal }
        // When an agent polls again, it has given up on its earlier poll.
        answerPoll(.nothing)
        polls += 1
        if let pending, pending.command.number > request.last {
            watchSilence()
            return answer(with: pending)
        }
        let own = polls
        let alarm = Task {
            guard (try? await sleep(limits.poll)) != nil else { return }
            if poll?.number == own { answerPoll(.nothing) }
        }
        defer { alarm.cancel() }
        let answer = await withCheckedContinuation { poll = (own, $0) }
        if polls == own { watchSilence() }
        return answer
    }

    /// Accepts a reply. A reply to an earlier command is ignored.
    package func take(_ report: AgentReport) -> AgentAnswer {
        if let refusal = refusal(of: report.attachment) { return refusal }
        guard let pending, pending.command.number == report.number else { return .nothing }
        guard report.reply.fits(pending.command.request) else {
            _ = impossible()
            return .over
        }
        self.pending = nil
        if case .tag = report.reply { selection = report.number }
        guard let caller = pending.caller else { return .nothing }
        if case .failed(let error) = report.reply {
            caller.continuation.resume(returning: .failed(error))
        } else {
            caller.continuation.resume(returning: .reply(report.reply))
        }
        return .nothing
    }

    /// The answer to a message from an earlier attachment; nil for the current one.
    private func refusal(of attachment: AgentAttachment) -> AgentAnswer? {
        guard let agent else { return .over }
        if agent.attachment == attachment || SafetyRule.onlyCurrentAttachment.isDisabled {
            return nil
        }
        return agent.attachment.boot == attachment.boot ? .over : .replaced
    }

    private func answerPoll(_ answer: AgentAnswer) {
        poll?.continuation.resume(returning: answer)
        poll = nil
    }

    /// Ends the attachment if the agent does not poll again in time.
    private func watchSilence() {
        let (own, attachment) = (polls, agent?.attachment)
        silence?.cancel()
        silence = Task {
            guard (try? await sleep(limits.silence)) != nil else { return }
            if polls == own, poll == nil, agent?.attachment == attachment { end() }
        }
    }
}

extension ReaderRequest {
    /// Whether this request lasts until something happens in the field.
    var isWait: Bool {
        switch self {
        case .select(let milliseconds): milliseconds > 0
        case .removal: true
        case .batch, .release, .cancel: false
        }
    }
}

extension ReaderReply {
    /// Whether this can be a reply to the request.
    func fits(_ request: ReaderRequest) -> Bool {
        switch (self, request) {
        case (.failed, _), (.tag, .select), (.report, .batch), (.released, .release),
            (.released, .removal):
            true
        default: false
        }
    }
}
