import ReaderProcess
package import Tags
import TapcardDomain

/// Why a call to the server failed.
package enum AgentLineError: Error, Hashable, Sendable {
    /// The server is offline, or its response could not be used. The agent tries again.
    case offline(String)
    /// The server did not respond in time. The agent attaches its reader again, perhaps to another
    /// server.
    case silent(String)
    /// The server rejected the token: the till was removed, or another agent has enrolled for it.
    case removed(String)
}

/// An agent's connection to its server.
package protocol AgentLine: Sendable {
    /// Sends a message to the server, and returns its response. The message may be delivered twice,
    /// which the server must tolerate.
    func send(
        _ call: AgentCall, _ message: [UInt8]
    ) async throws(AgentLineError) -> [UInt8]
}

/// Drives a reader for a server.
///
/// The agent carries out each command at most once, and a batch only if the tag is still selected
/// by the command that the batch names. If a tag is selected and no command arrives for five
/// seconds, the agent turns the field off.
package actor ReaderAgent {
    /// An event on the connection to the server.
    package enum Event: Hashable, Sendable {
        case attached
        case offline(String)
    }

    /// Why the server rejected the agent, which then stops.
    package enum Rejection: Hashable, Sendable {
        case removed(String)
        case outdated(oldest: UInt8)
        /// Another agent has attached a reader to the same till.
        case replaced
    }

    /// The time limits.
    package struct Limits: Sendable {
        /// How long the field stays on for a selected tag if no command arrives.
        package var field = Duration.seconds(5)
        /// The shortest and the longest pause before a message is resent.
        package var pauses = Duration.milliseconds(100)...Duration.seconds(8)

        package init() {}
    }

    /// After this many failed messages in a row, the agent attaches its reader again.
    private static let mostFailures = 3

    private let reader: any TagReader
    private let isSimulated: Bool
    private let line: any AgentLine
    private let runID: AgentRunID
    private let release: String
    private let limits: Limits
    private let random: @Sendable (Int) -> [UInt8]
    private let clock: LineClock
    private let report: @Sendable (Event) -> Void

    private var attachment: AgentAttachment?
    /// The protocol version of the attachment.
    private var version = AgentProtocol.version
    /// The number of the latest command that the agent accepted.
    private var last: UInt64 = 0
    /// The number of the command that selected the tag; nil if no tag is selected.
    private var selection: UInt64?
    private var work: (task: Task<ReaderReply, Never>, isWait: Bool, reportsItself: Bool)?
    /// When the field is turned off unless another command arrives; nil while a command is being
    /// carried out or when no tag is selected.
    private var fieldDeadline: Duration?
    /// Sleeps until that deadline.
    private var fieldWatch: Task<Void, Never>?
    private var turningOff: Task<Void, Never>?
    private var failures = 0

    package init(
        _ reader: any TagReader, isSimulated: Bool = false, _ line: any AgentLine,
        release: String, limits: Limits = Limits(),
        random: @escaping @Sendable (Int) -> [UInt8],
        clock: LineClock,
        report: @escaping @Sendable (Event) -> Void
    ) {
        (self.reader, self.isSimulated, self.line) = (reader, isSimulated, line)
        guard let runID = AgentRunID(random(AgentRunID.length)) else {
            preconditionFailure("`random` returns as many bytes as requested")
        }
        (self.runID, self.release) = (runID, release)
        (self.limits, self.random, self.clock, self.report) = (limits, random, clock, report)
    }

    /// Carries out the server's commands until the task is canceled or the server rejects the
    /// agent. Returns the reason for the rejection; nil if the task was canceled.
    package func run() async -> Rejection? {
        while !Task.isCancelled {
            let answer: AgentResponse
            do throws(AgentLineError) {
                answer = try await pollOrAttach()
            } catch {
                if case .removed(let reason) = error {
                    await detach()
                    return .removed(reason)
                }
                if Task.isCancelled { break }
                await pause(after: error)
                // Only attaching again can switch to another server, which a poll cannot.
                let isSilent = if case .silent = error { true } else { false }
                if isSilent || failures >= ReaderAgent.mostFailures, attachment != nil {
                    await detach()
                }
                continue
            }
            failures = 0
            switch answer {
            case .attached(let epoch, let version):
                await detach()
                (attachment, last) = (AgentAttachment(runID, epoch: epoch), 0)
                self.version = version
                report(.attached)
            case .command(let command, let epoch):
                if epoch == attachment?.epoch { begin(command) }
            case .nothing: break
            case .detached: await detach()
            case .replaced:
                await detach()
                return .replaced
            case .outdated(let oldest):
                await detach()
                return .outdated(oldest: oldest)
            }
        }
        await detach()
        return nil
    }

    /// Polls for the next command if the reader is attached; otherwise, attaches it.
    private func pollOrAttach() async throws(AgentLineError) -> AgentResponse {
        if let attachment {
            guard let work, !work.reportsItself else {
                return try await send(.poll, AgentPoll(attachment, last: last).message)
            }
            let reply = await withTaskCancellationHandler {
                await work.task.value
            } onCancel: {
                work.task.cancel()
            }
            return try await send(.exchange, AgentReport(attachment, last, reply).message)
        }
        return try await send(
            .attach,
            AgentGreeting(
                run: runID, release: release, reader: await reader.name, isSimulated: isSimulated
            ).message)
    }

    private func send(
        _ call: AgentCall, _ message: [UInt8]
    ) async throws(AgentLineError) -> AgentResponse {
        guard let answer = AgentResponse(try await line.send(call, message)) else {
            throw .offline("the server sent an invalid answer")
        }
        if case .attached(_, let version) = answer,
            !(AgentProtocol.oldest...AgentProtocol.version).contains(version)
        {
            // The agent keeps trying, because the server may be updated.
            throw .offline("the server's version of tapcard is too old; update it there")
        }
        return answer
    }

    /// Pauses after a failure. The pause grows with each failure and is partly random, so that
    /// agents do not all reconnect at the same moment after their server was offline.
    private func pause(after error: AgentLineError) async {
        switch error {
        case .offline(let reason), .silent(let reason):
            if failures == 0 { report(.offline(reason)) }
        case .removed: break
        }
        failures += 1
        let pause = min(
            limits.pauses.lowerBound * (1 << min(failures - 1, 10)), limits.pauses.upperBound)
        let byte = Int(random(1).first ?? 0)
        try? await clock.sleep(pause / 2 + pause * byte / 510)
    }

    /// Ends the attachment and turns the field off.
    private func detach() async {
        attachment = nil
        work?.task.cancel()
        _ = await work?.task.value
        await stopFieldLimit()
        (work, selection) = (nil, nil)
        await reader.release()
    }

    private func begin(_ command: AgentCommand) {
        guard let attachment, command.number > last || SafetyRule.commandIsDoneOnce.isDisabled
        else { return }
        last = max(last, command.number)
        // A new command interrupts a wait for a tag or for its removal.
        if let work, work.isWait { work.task.cancel() }
        // While a command waits for a tag, the agent also keeps a poll open so that the server can
        // cancel the wait.
        let reportsItself = command.request.isWait || version < AgentProtocol.exchanging
        // Commands are carried out one after another.
        let earlier = work?.task
        let task = Task {
            _ = await earlier?.value
            let reply = await carryOut(command)
            if reportsItself { await sendReport(AgentReport(attachment, command.number, reply)) }
            return reply
        }
        work = (task, command.request.isWait, reportsItself)
    }

    private func carryOut(_ command: AgentCommand) async -> ReaderReply {
        await stopFieldLimit()
        defer { if selection != nil { limitField() } }
        let mayBatch = command.selection == selection && selection != nil
        if case .batch = command.request {
            guard mayBatch || SafetyRule.batchBelongsToSelection.isDisabled else {
                return .report(
                    BatchReport(failure: ReaderError(.tagLost, "no tag is selected")))
            }
        } else if selection != nil || command.signal != nil {
            selection = nil
            await reader.release(signaling: command.signal)
        }
        let reply = await ReaderService.reply(to: command.request, reader)
        if case .tag = reply { selection = command.number }
        return reply
    }

    /// Turns the field off unless another command arrives within the time limit. This does not wait
    /// for the report on the last command, which may never be delivered.
    private func limitField() {
        fieldDeadline = clock.now() + limits.field
        // Starting a timer for every command is expensive, and almost none of those timers would
        // ever fire. The one running timer is kept, and only its deadline is moved.
        if fieldWatch == nil { fieldWatch = Task { await watchField() } }
    }

    private func watchField() async {
        while let deadline = fieldDeadline {
            let rest = deadline - clock.now()
            if rest > .zero {
                try? await clock.sleep(rest)
            } else {
                (fieldDeadline, selection) = (nil, nil)
                turningOff = Task { await reader.release() }
            }
        }
        fieldWatch = nil
    }

    /// Stops the time limit. If the field is being turned off right now, waits until that is done,
    /// because the reader can do only one thing at a time.
    private func stopFieldLimit() async {
        fieldDeadline = nil
        await turningOff?.value
    }

    /// Sends a reply until the server confirms it, a newer command arrives, or the attachment ends.
    private func sendReport(_ reply: AgentReport) async {
        while attachment == reply.attachment, last == reply.number {
            do throws(AgentLineError) {
                _ = try await send(.report, reply.message)
                return
            } catch {
                try? await clock.sleep(limits.pauses.lowerBound)
            }
        }
    }
}
