import BlockingLane
import PortDoubles
import ReaderProcess
import RemoteReader
import Tags
import TapcardDomain
import Testing

@Suite("A reader's agent", .timeLimit(.minutes(5)))
struct ReaderAgentTests {
    private static let batch = [BatchItem(.frame([0xA2, 4, 1, 2, 3, 4]))]
    private static let select = ReaderRequest.select(milliseconds: 0)

    private func command(
        _ number: UInt64, _ request: ReaderRequest, selection: UInt64 = 0,
        signaling signal: TagSignal? = nil, epoch: UInt64 = 1
    ) -> AgentResponse {
        .command(
            AgentCommand(number, request, selection: selection, signaling: signal), epoch: epoch)
    }

    @Test("A batch reaches only the tag that it was meant for")
    func otherSelection() async {
        let reader = NotedReader()
        let server = ScriptedAgentLine([
            command(1, Self.select), command(2, .batch(Self.batch), selection: 1),
            command(3, Self.select), command(4, .batch(Self.batch), selection: 1),
            command(5, .removal(of: nil, sawSeveral: false)),
            command(6, .batch(Self.batch), selection: 3),
        ])
        await server.serve(reader)
        // Each command except a batch releases the tag first.
        #expect(
            reader.noted.prefix(5) == ["select", "frame 162", "release", "select", "release"])
        let refused = ReaderReply.report(BatchReport(failure: ReaderError(.tagLost)))
        #expect(server.replies[2] == .report(BatchReport(answers: [[]])))
        #expect(server.replies[4] == refused)
        #expect(server.replies[6] == refused)
    }

    @Test(
        "A reply needs no request of its own, unless it ends a wait or the server is too old",
        arguments: [AgentProtocol.oldest, AgentProtocol.version])
    func replies(version: UInt8) async {
        let server = ScriptedAgentLine(
            [
                command(1, Self.select), command(2, .batch(Self.batch), selection: 1),
                command(3, .select(milliseconds: 1)),
            ], version: version)
        await server.serve(NotedReader())
        #expect(Set(server.replies.keys) == [1, 2, 3])
        #expect(server.reported == (version == AgentProtocol.version ? [3] : [1, 2, 3]))
    }

    @Test("The signal is given when the tag is released, or although it already is")
    func signal() async {
        let reader = NotedReader()
        await ScriptedAgentLine([
            command(1, Self.select), command(2, Self.select, signaling: .done),
            .command(AgentCommand(3, Self.select), epoch: 1),
        ]).serve(reader)
        #expect(
            reader.noted == [
                "select", "release done", "select", "release", "select", "release",
            ])
    }

    @Test("A repeated command, or one of an earlier attachment, is not carried out")
    func repeated() async {
        let reader = NotedReader()
        await ScriptedAgentLine([
            command(1, Self.select), command(2, .batch(Self.batch), selection: 1),
            command(2, .batch(Self.batch), selection: 1), command(1, Self.select),
            command(3, .batch(Self.batch), selection: 1, epoch: 0),
        ]).serve(reader)
        #expect(reader.noted == ["select", "frame 162", "release"])
    }

    @Test("If no command comes, the field is turned off, and the tag is no longer selected")
    func fieldLimit() async {
        let reader = NotedReader()
        let server = ScriptedAgentLine(
            [command(1, Self.select), command(2, .batch(Self.batch), selection: 1)],
            lastWhen: { reader.noted == ["select", "release"] })
        await server.serve(reader) { limit in
            if limit != .seconds(5) { try await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(reader.noted.prefix(3) == ["select", "release", "release"])
        #expect(
            server.replies[2] == .report(BatchReport(failure: ReaderError(.tagLost))))
    }

    @Test("A batch for another selection does not keep the field on")
    func fieldLimitAfterRefusal() async {
        let reader = NotedReader()
        let server = ScriptedAgentLine(
            [
                command(1, Self.select), command(2, .batch(Self.batch), selection: 9),
                command(3, .batch(Self.batch), selection: 1),
            ], lastWhen: { reader.noted == ["select", "release"] })
        await server.serve(reader) { limit in
            guard limit == .seconds(5) else { return try await Task.sleep(for: limit) }
            while server.replies[2] == nil { try await Task.sleep(for: .milliseconds(1)) }
        }
        #expect(server.replies[3] == .report(BatchReport(failure: ReaderError(.tagLost))))
    }

    /// A server that sends one command, and then responds to nothing.
    private struct OneCommand: AgentLine {
        let command: AgentResponse

        func send(
            _ call: AgentCall, _ message: [UInt8]
        ) async throws(AgentLineError) -> [UInt8] {
            if call == .attach {
                return AgentResponse.attached(epoch: 1, version: AgentProtocol.version).message
            }
            if call == .poll { return command.message }
            while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
            throw .offline("the test is over")
        }
    }

    @Test("The field is turned off even while a reply has no response")
    func unansweredReply() async {
        let reader = NotedReader()
        let agent = agent(reader, of: OneCommand(command: command(1, Self.select)))
        let task = Task { await agent.run() }
        while reader.noted != ["select", "release"] {
            try? await Task.sleep(for: .milliseconds(1))
        }
        task.cancel()
        #expect(await task.value == nil)
    }

    /// A server that gives the same answer to everything, and counts what it was asked.
    private final class SameAnswer: AgentLine {
        let asked = Guarded(0)
        private let answer: AgentResponse

        init(_ answer: AgentResponse) { self.answer = answer }

        func send(_ call: AgentCall, _ message: [UInt8]) -> [UInt8] {
            asked.withLock { $0 += 1 }
            return answer.message
        }
    }

    private func agent(
        _ reader: NotedReader = NotedReader(), of server: any AgentLine,
        report: @escaping @Sendable (ReaderAgent.Event) -> Void = { _ in }
    ) -> ReaderAgent {
        ReaderAgent(
            reader, server, release: "test", random: { [UInt8](repeating: 7, count: $0) },
            clock: .movedBySleep { _ in try await Task.sleep(for: .milliseconds(1)) },
            report: report)
    }

    @Test("An agent that is too old for its server stops")
    func outdated() async {
        #expect(
            await agent(of: SameAnswer(.outdated(oldest: 2))).run() == .outdated(oldest: 2))
    }

    @Test("An agent that is too new for its server says so, and keeps trying")
    func tooNew() async {
        let server = SameAnswer(.attached(epoch: 1, version: AgentProtocol.oldest - 1))
        let events = Guarded<[ReaderAgent.Event]>([])
        let agent = agent(of: server) { event in events.withLock { $0.append(event) } }
        let task = Task { await agent.run() }
        while server.asked.withLock({ $0 < 3 }) { try? await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        #expect(await task.value == nil)
        #expect(
            events.withLock { $0 }
                == [.offline("the server's version of tapcard is too old; update it there")])
    }
}
