import BlockingLane
import PortDoubles
import ReaderProcess
import RemoteReader
import Tags
import TapcardDomain
import Testing

@Suite("A reader on another machine", .timeLimit(.minutes(5)))
struct RemoteReaderTests {
    private static let tag = TagIdentity(uid: [4, 1, 2, 3, 4, 5, 6])
    private static let found = ReaderReply.tag(
        tag, ReaderSummary(name: "a reader", maximumAnswerLength: 64))

    /// Time limits that pass when a test says so.
    private final class Limits: Sendable {
        private let due = Guarded<Set<Duration>>([])
        func pass(_ limit: Duration) { due.withLock { _ = $0.insert(limit) } }
        func sleep(_ limit: Duration) async throws {
            while !due.withLock({ $0.contains(limit) }) {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }

    /// A new run of an agent.
    private static func run() -> AgentRunID {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<AgentRunID.length).map { _ in UInt8.random(in: 0...255, using: &generator)
        }
        guard let run = AgentRunID(bytes) else { preconditionFailure("the length is right") }
        return run
    }

    private let limits = Limits()
    private let noted = Guarded<[AgentLineEvent]>([])
    private let reader: RemoteReader

    init() {
        let (limits, noted) = (limits, noted)
        reader = RemoteReader(
            named: "Bar 1", clock: .movedBySleep { try await limits.sleep($0) },
            note: { event in noted.withLock { $0.append(event) } })
    }

    private func attach(_ run: AgentRunID, epoch: UInt64) async -> AgentResponse {
        await reader.attach(
            AgentGreeting(run: run, release: "1.0", reader: "a reader"), epoch: epoch)
    }

    /// The next command that the agent gets.
    private func command(
        _ attachment: AgentAttachment, after last: UInt64
    ) async throws -> AgentCommand {
        var answer = AgentResponse.nothing
        while answer == .nothing {
            answer = await reader.answer(to: AgentPoll(attachment, last: last))
        }
        guard case .command(let command, attachment.epoch) = answer else {
            Issue.record("no command, but \(answer)")
            throw CancellationError()
        }
        return command
    }

    @Test("Without an agent, there is no reader")
    func noAgent() async {
        await #expect(throws: ReaderError(.noReader)) {
            try await reader.select(within: .seconds(1))
        }
        #expect(await reader.exchange([BatchItem(.frame([0x30, 0]))]).failure?.kind == .tagLost)
        #expect(await reader.name == "Bar 1")
    }

    @Test("One command at the agent serves every wait for a tag")
    func idle() async throws {
        let line = AgentAttachment(Self.run(), epoch: 1)
        _ = await attach(line.run, epoch: 1)
        limits.pass(.seconds(1))
        for _ in 0..<5 {
            await #expect(throws: ReaderError(.noTag)) {
                try await reader.select(within: .seconds(1))
            }
            await reader.release()
        }
        let watch = try await command(line, after: 0)
        #expect(watch.number == 1)
        let waiting = Task { try await reader.select(within: .seconds(30)) }
        // The agent's next poll gets no new command.
        let poll = Task { await reader.answer(to: AgentPoll(line, last: watch.number)) }
        limits.pass(.seconds(8))
        #expect(await poll.value == .nothing)
        waiting.cancel()
        await #expect(throws: ReaderError(.cancelled)) { try await waiting.value }
        // A tag that arrived while nobody was waiting is selected again.
        #expect(await reader.accept(AgentReport(line, watch.number, Self.found)) == .nothing)
        let next = Task { try await reader.select(within: .seconds(30)) }
        #expect(try await command(line, after: watch.number).number == watch.number + 1)
        #expect(await reader.accept(AgentReport(line, watch.number + 1, Self.found)) == .nothing)
        #expect(try await next.value == Self.tag)
    }

    @Test("A call that does not wait for a tag comes between, and then the wait goes on")
    func between() async throws {
        let line = AgentAttachment(Self.run(), epoch: 1)
        _ = await attach(line.run, epoch: 1)
        let removal = Task {
            await reader.waitForRemoval(of: Self.tag.uid, sawSeveral: false, pause: {})
        }
        let wanted = ReaderRequest.removal(of: Self.tag.uid, sawSeveral: false)
        #expect(try await command(line, after: 0).request == wanted)
        let look = Task { try await reader.select(within: .zero) }
        #expect(try await command(line, after: 1).request == .select(milliseconds: 0))
        #expect(await reader.accept(AgentReport(line, 2, Self.found)) == .nothing)
        #expect(try await look.value == Self.tag)
        #expect(try await command(line, after: 2).request == wanted)
        #expect(await reader.accept(AgentReport(line, 3, .released)) == .nothing)
        #expect(await removal.value == nil)
    }

    @Test("A reply from an earlier attachment, or to an earlier command, is not accepted")
    func stale() async throws {
        let run = Self.run()
        let (old, new) = (AgentAttachment(run, epoch: 1), AgentAttachment(run, epoch: 2))
        _ = await attach(run, epoch: 1)
        _ = await attach(run, epoch: 2)
        let selected = Task { try await reader.select(within: .zero) }
        let first = try await command(new, after: 0)
        #expect(await reader.accept(AgentReport(old, first.number, Self.found)) == .detached)
        #expect(await reader.answer(to: AgentPoll(old, last: 0)) == .detached)
        let other = ReaderReply.tag(
            TagIdentity(uid: [9, 9, 9, 9]), ReaderSummary(name: "x", maximumAnswerLength: 1))
        #expect(await reader.accept(AgentReport(new, first.number &- 1, other)) == .nothing)
        #expect(await reader.accept(AgentReport(new, first.number, Self.found)) == .nothing)
        #expect(try await selected.value == Self.tag)
    }

    @Test("If two agents attach to one till, the earlier one is cut off for good")
    func replaced() async throws {
        let (old, new) = (
            AgentAttachment(Self.run(), epoch: 1), AgentAttachment(Self.run(), epoch: 2)
        )
        _ = await attach(old.run, epoch: 1)
        let held = Task { await reader.answer(to: AgentPoll(old, last: 0)) }
        // One poll is open when the other agent attaches, and one comes afterward.
        _ = await attach(new.run, epoch: 2)
        #expect(await held.value == .replaced)
        #expect(await reader.answer(to: AgentPoll(old, last: 0)) == .replaced)
    }

    @Test("An agent is replaced by another one at another server, but not if it moves there itself")
    func elsewhere() async {
        let (run, other) = (Self.run(), Self.run())
        _ = await attach(run, epoch: 1)
        #expect(await !reader.detach(for: AgentAttachment(run, epoch: 2)))
        let first = AgentPoll(AgentAttachment(run, epoch: 1), last: 0)
        #expect(await reader.answer(to: first) == .detached)
        #expect(
            await attach(run, epoch: 3)
                == .attached(epoch: 3, version: AgentProtocol.version))
        let poll = AgentPoll(AgentAttachment(run, epoch: 3), last: 0)
        let held = Task { await reader.answer(to: poll) }
        let newest = AgentAttachment(other, epoch: 4)
        #expect(await reader.detach(for: newest))
        #expect(await held.value == .replaced)
        // A server that begins the till anew knows the newest attachment from the ledger.
        let limits = limits
        let anew = RemoteReader(
            named: "Bar 1", latest: newest, clock: .movedBySleep { try await limits.sleep($0) })
        #expect(await anew.answer(to: poll) == .replaced)
        #expect(await anew.answer(to: AgentPoll(newest, last: 0)) == .detached)
        let next = AgentPoll(AgentAttachment(run, epoch: 5), last: 0)
        #expect(await anew.answer(to: next) == .detached)
        let greeting = AgentGreeting(run: run, release: "1.0", reader: "a reader")
        #expect(await anew.attach(greeting, epoch: 3) == .detached)
        // Whoever attaches later is not replaced by those who were there before.
        _ = await anew.attach(greeting, epoch: 5)
        await anew.detach()
        #expect(await anew.answer(to: next) == .detached)
    }

    @Test("An agent that is too old is refused, and a newer one is told to use this version")
    func versions() async {
        func attach(_ newest: UInt8) async -> AgentResponse {
            await reader.attach(
                AgentGreeting(run: Self.run(), newest: newest, release: "1", reader: "r"),
                epoch: 1)
        }
        #expect(await attach(0) == .outdated(oldest: 1))
        for newest in AgentProtocol.oldest...AgentProtocol.version {
            #expect(await attach(newest) == .attached(epoch: 1, version: newest))
        }
        #expect(await attach(9) == .attached(epoch: 1, version: AgentProtocol.version))
    }

    @Test("If no reply comes in time, the reader is lost, and the agent must attach it again")
    func hanging() async throws {
        let line = AgentAttachment(Self.run(), epoch: 1)
        _ = await attach(line.run, epoch: 1)
        let selected = Task { try await reader.select(within: .zero) }
        _ = try await command(line, after: 0)
        limits.pass(.seconds(5))
        await #expect(throws: ReaderError(.readerLost)) { try await selected.value }
        #expect(await reader.answer(to: AgentPoll(line, last: 1)) == .detached)
        #expect(await reader.accept(AgentReport(line, 1, Self.found)) == .detached)
    }

    @Test("An agent that stops polling is treated as lost")
    func silent() async throws {
        let line = AgentAttachment(Self.run(), epoch: 1)
        _ = await attach(line.run, epoch: 1)
        limits.pass(.seconds(10))
        while await reader.greeting != nil { try? await Task.sleep(for: .milliseconds(1)) }
        #expect(await reader.answer(to: AgentPoll(line, last: 0)) == .detached)
    }

    /// A clock that a test moves.
    private final class MovedClock: Sendable {
        private let time = Guarded(Duration.zero)
        private let sleeping = Guarded<Set<Duration>>([])
        private let slept = Guarded<Set<Duration>>([])

        var line: LineClock {
            LineClock(
                now: { self.time.withLock { $0 } },
                sleep: { limit in
                    let end = self.time.withLock { $0 } + limit
                    self.sleeping.withLock { _ = $0.insert(end) }
                    while self.time.withLock({ $0 < end }) {
                        try await Task.sleep(for: .milliseconds(1))
                    }
                    self.slept.withLock { _ = $0.insert(end) }
                })
        }

        func move(to time: Duration) { self.time.withLock { $0 = time } }
        func isSlept(until end: Duration) -> Bool { sleeping.withLock { $0.contains(end) } }
        func wasSlept(until end: Duration) -> Bool { slept.withLock { $0.contains(end) } }
    }

    @Test("A time limit that is set again moves its end, and can be set once more after that")
    func movedLimit() async throws {
        let clock = MovedClock()
        let reader = RemoteReader(named: "Bar 1", clock: clock.line)
        let greeting = AgentGreeting(run: Self.run(), release: "1.0", reader: "a reader")
        for epoch: UInt64 in 1...2 {
            let begin = Duration.seconds(100 * Int64(epoch))
            clock.move(to: begin)
            _ = await reader.attach(greeting, epoch: epoch)
            while !clock.isSlept(until: begin + .seconds(10)) {
                try await Task.sleep(for: .milliseconds(1))
            }
            clock.move(to: begin + .seconds(4))
            _ = await reader.attach(greeting, epoch: epoch)
            clock.move(to: begin + .seconds(10))
            // The first sleep has ended, and the next one lasts until the later deadline.
            while !clock.wasSlept(until: begin + .seconds(10))
                || !clock.isSlept(until: begin + .seconds(14))
            {
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(await reader.greeting != nil)
            clock.move(to: begin + .seconds(14))
            while await reader.greeting != nil { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    @Test("Each event on the line is told, but no message of another agent")
    func events() async throws {
        let line = AgentAttachment(Self.run(), epoch: 1)
        let greeting = AgentGreeting(run: line.run, release: "1.0", reader: "a reader")
        _ = await reader.attach(greeting, epoch: 1)
        let selected = Task { try await reader.select(within: .zero) }
        let first = try await command(line, after: 0)
        let other = AgentAttachment(Self.run(), epoch: 1)
        #expect(await reader.answer(to: AgentPoll(other, last: 0)) == .replaced)
        // The second report repeats the first one, which has been accepted.
        for _ in 1...2 {
            let report = AgentReport(line, first.number, Self.found)
            #expect(await reader.accept(report) == .nothing)
        }
        #expect(try await selected.value == Self.tag)
        for _ in 1...2 { await reader.detach() }
        #expect(
            noted.withLock { $0 } == [
                .attached(greeting), .heard, .heard, .answered, .heard, .detached,
            ])
    }

    @Test("A reply that does not fit its command ends the attachment")
    func impossible() async throws {
        let line = AgentAttachment(Self.run(), epoch: 1)
        _ = await attach(line.run, epoch: 1)
        let selected = Task { try await reader.select(within: .zero) }
        _ = try await command(line, after: 0)
        #expect(await reader.accept(AgentReport(line, 1, .released)) == .detached)
        await #expect(throws: ReaderError(.readerLost)) { try await selected.value }
        #expect(await reader.greeting == nil)
    }

    @Test("A reply gets the next command, and repeating it changes nothing")
    func exchanges() async throws {
        let line = AgentAttachment(Self.run(), epoch: 1)
        _ = await attach(line.run, epoch: 1)
        let batch = [BatchItem(.frame([0x30, 0]))]
        let exchanged = Task {
            _ = try? await reader.select(within: .zero)
            return await reader.exchange(batch)
        }
        _ = try await command(line, after: 0)
        func exchange(_ number: UInt64, _ reply: ReaderReply) async -> AgentResponse? {
            await reader.answer(to: .exchange, AgentReport(line, number, reply).message)
        }
        let command = AgentCommand(2, .batch(batch), selection: 1)
        for _ in 1...2 { #expect(await exchange(1, Self.found) == .command(command, epoch: 1)) }
        let report = BatchReport(answers: [[1]])
        let next = Task { await exchange(2, .report(report)) }
        #expect(await exchanged.value == report)
        // A reply of another kind ends the attachment.
        let selected = Task { try await reader.select(within: .zero) }
        #expect(await next.value == .command(AgentCommand(3, .select(milliseconds: 0)), epoch: 1))
        #expect(await exchange(3, .released) == .detached)
        await #expect(throws: ReaderError(.readerLost)) { try await selected.value }
    }
}
