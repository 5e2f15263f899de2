import ReaderProcess
package import Tags
import TapcardDomain

/// Why a call to the server failed.
package enum AgentLineError: Error, Hashable, Sendable {
    /// The server did not give a usable answer.
    case offline(String)
    /// No till has the agent's token: it was removed, or another agent took it.
    case removed(String)
}

/// An agent's connection to its server.
package protocol AgentLine: Sendable {
    /// Sends a message and returns the answer. A message may arrive more than once.
    func send(
        _ call: AgentCall, _ message: [UInt8]
    ) async throws(AgentLineError) -> [UInt8]
}

/// Drives a reader for a server.
///
/// The agent carries out each command at most once, and a batch only during the selection that it
/// was meant for. It turns the field off if a selected tag gets no command for five seconds.
package actor ReaderAgent {
    /// An event on the connection to the server.
    package enum Event: Hashable, Sendable {
        case attached
        case offline(String)
        case removed(String)
        case outdated(oldest: UInt8)
        /// Another agent has attached a reader to the same till.
        case replaced
    }

    /// The time limits.
    package struct Limits: Sendable {
        /// How long a tag stays selected if no command comes.
        package var field = Duration.seconds(5)
        /// The shortest and the longest pause before a message is resent.
        package var pauses = Duration.milliseconds(100)...Duration.seconds(8)

        package init() {}
    }

    /// After this many failed polls in a row, the agent attaches its reader again.
    private static let mostFailures = 3

    private let reader: any TagReader
    private let isSimulated: Bool
    private let line: any AgentLine
    private let boot: AgentBoot
    private let release: String
    private let limits: Limits
    private let random: @Sendable (Int) -> [UInt8]
    private let sleep: @Sendable (Duration) async throws -> Void
    private let report: @Sendable (Event) -> Void

    private var attachment: AgentAttachment?
    /// The number of the last command that the agent began.
    private var last: UInt64 = 0
    /// The number of the command that selected the tag; nil if no tag is selected.
    private var selection: UInt64?
    private var work: (task: Task<Void, Never>, isWait: Bool)?
    /// Turns the field off if no command comes in time.
    private var alarm: Task<Void, Never>?
    private var failures = 0

    package init(
        _ reader: any TagReader, isSimulated: Bool = false, _ line: any AgentLine,
        release: String, limits: Limits = Limits(),
        random: @escaping @Sendable (Int) -> [UInt8],
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        },
        report: @escaping @Sendable (Event) -> Void
    ) {
        (self.reader, self.isSimulated, self.line) = (reader, isSimulated, line)
        guard let boot = AgentBoot(random(AgentBoot.length)) else {
            preconditionFailure("`random` returns as many bytes as requested")
        }
        (self.boot, self.release) = (boot, release)
        (self.limits, self.random, self.sleep, self.report) = (limits, random, sleep, report)
    }

    /// Serves until the task is canceled, or returns why the server rejected the agent.
    package func run() async -> Event? {
        while !Task.isCancelled {
            let answer: AgentAnswer
            do throws(AgentLineError) {
                answer = try await ask()
            } catch {
                if case .removed(let reason) = error {
                    await letGo()
                    return .removed(reason)
                }
                await back(off: error)
                // This server may stay offline, so the next attempt may use another one.
                if failures >= ReaderAgent.mostFailures, attachment != nil { await letGo() }
                continue
            }
            failures = 0
            switch answer {
            case .attached(let epoch, _):
                await letGo()
                (attachment, last) = (AgentAttachment(boot, epoch: epoch), 0)
                report(.attached)
            case .command(let command, let epoch):
                if epoch == attachment?.epoch { begin(command) }
            case .nothing: break
            case .over: await letGo()
            case .replaced:
                await letGo()
                return .replaced
            case .outdated(let oldest):
                await letGo()
                return .outdated(oldest: oldest)
            }
        }
        await letGo()
        return nil
    }

    /// Attaches the reader or, if it is attached, asks for the next command.
    private func ask() async throws(AgentLineError) -> AgentAnswer {
        if let attachment {
            return try await send(.poll, AgentPoll(attachment, last: last).message)
        }
        return try await send(
            .attach,
            AgentGreeting(
                boot: boot, release: release, reader: await reader.name, isSimulated: isSimulated
            ).message)
    }

    private func send(
        _ call: AgentCall, _ message: [UInt8]
    ) async throws(AgentLineError) -> AgentAnswer {
        guard let answer = AgentAnswer(try await line.send(call, message)) else {
            throw .offline("the server sent an invalid answer")
        }
        return answer
    }

    /// Pauses after a failure. The pause grows with each failure and is partly random, so that
    /// agents that lost the same server do not all return at once.
    private func back(off error: AgentLineError) async {
        if failures == 0, case .offline(let reason) = error { report(.offline(reason)) }
        failures += 1
        let pause = min(
            limits.pauses.lowerBound * (1 << min(failures - 1, 10)), limits.pauses.upperBound)
        let half = Int(random(1).first ?? 0)
        try? await sleep(pause / 2 + pause * half / 510)
    }

    /// Ends the attachment and turns the field off.
    private func letGo() async {
        attachment = nil
        work?.task.cancel()
        await work?.task.value
        (work, selection) = (nil, nil)
        await reader.release()
    }

    private func begin(_ command: AgentCommand) {
        guard let attachment, command.number > last || SafetyRule.commandIsDoneOnce.isDisabled
        else { return }
        last = max(last, command.number)
        // The next command ends a wait for a tag or for its removal.
        if let work, work.isWait { work.task.cancel() }
        follow(isWait: command.request.isWait) {
            if case .release(.some) = command.request {
                // A signal takes time, so the reply is sent first.
                await self.tell(AgentReport(attachment, command.number, .released))
                _ = await self.carryOut(command)
            } else {
                let reply = await self.carryOut(command)
                await self.tell(AgentReport(attachment, command.number, reply))
            }
        }
    }

    /// Runs `body` after everything started earlier has ended.
    private func follow(isWait: Bool = false, _ body: @escaping @Sendable () async -> Void) {
        let earlier = work?.task
        let task = Task {
            await earlier?.value
            await body()
        }
        work = (task, isWait)
    }

    private func carryOut(_ command: AgentCommand) async -> ReaderReply {
        alarm?.cancel()
        let mayBatch = command.selection == selection && selection != nil
        if case .batch = command.request {
            guard mayBatch || SafetyRule.batchBelongsToSelection.isDisabled else {
                return .report(
                    BatchReport(failure: ReaderError(.tagLost, "no tag is selected")))
            }
        } else {
            selection = nil
        }
        let reply = await ReaderService.reply(to: command.request, reader)
        if case .tag = reply { selection = command.number }
        if selection != nil { limitField(after: command.number) }
        return reply
    }

    /// Turns the field off if no command follows in time.
    private func limitField(after number: UInt64) {
        alarm = Task {
            guard (try? await sleep(limits.field)) != nil else { return }
            guard last == number, selection != nil else { return }
            selection = nil
            follow { await self.reader.release() }
        }
    }

    /// Resends a reply until the server has received it or no longer needs it.
    private func tell(_ reply: AgentReport) async {
        while attachment == reply.attachment, last == reply.number {
            do throws(AgentLineError) {
                _ = try await send(.report, reply.message)
                return
            } catch {
                try? await sleep(limits.pauses.lowerBound)
            }
        }
    }
}
