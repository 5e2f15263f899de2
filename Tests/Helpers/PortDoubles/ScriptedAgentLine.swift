import BlockingLane
package import ReaderProcess
package import RemoteReader
package import Tags

/// A server that answers polls with the given answers, and no poll after that.
package final class ScriptedAgentLine: AgentLine {
    private struct State: Sendable {
        var answers: [AgentResponse]
        var replies: [UInt64: ReaderReply] = [:]
        var reported: Set<UInt64> = []
        var isDone = false
    }
    private let state: Guarded<State>

    private let version: UInt8
    private let isLastDue: @Sendable () -> Bool

    /// Creates a server. The last answer is sent only once `isLastDue` returns true.
    package init(
        _ answers: [AgentResponse], version: UInt8 = AgentProtocol.version,
        lastWhen isLastDue: @escaping @Sendable () -> Bool = { true }
    ) {
        state = Guarded(State(answers: answers))
        (self.version, self.isLastDue) = (version, isLastDue)
    }

    /// The replies, by the numbers of their commands.
    package var replies: [UInt64: ReaderReply] { state.withLock { $0.replies } }
    /// The numbers of the commands whose replies were reported.
    package var reported: Set<UInt64> { state.withLock { $0.reported } }

    package func send(_ call: AgentCall, _ message: [UInt8]) async throws(AgentLineError) -> [UInt8]
    {
        switch call {
        case .attach: return AgentResponse.attached(epoch: 1, version: version).message
        case .report:
            state.withLock { state in
                guard let report = AgentReport(message) else { return }
                state.replies[report.number] = report.reply
                state.reported.insert(report.number)
            }
            return AgentResponse.nothing.message
        case .poll, .exchange:
            // One command at a time: the next one is sent after the reply to the last one.
            let reply = call == .exchange ? AgentReport(message) : nil
            if let reply { state.withLock { $0.replies[reply.number] = reply.reply } }
            let last = reply?.number ?? AgentPoll(message)?.last ?? 0
            while last > 0, replies[last] == nil, !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(1))
            }
            while state.withLock({ $0.answers.count == 1 }), !isLastDue() {
                try? await Task.sleep(for: .milliseconds(1))
            }
            let next = state.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
            if let next { return next.message }
            state.withLock { $0.isDone = true }
            while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
            throw .offline("the test is over")
        }
    }

    /// Runs an agent until it has received all answers.
    package func serve(
        _ reader: any TagReader,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in
            try await Task.sleep(for: .seconds(3_600))
        }
    ) async {
        let agent = ReaderAgent(
            reader, self, release: "test", random: { [UInt8](repeating: 7, count: $0) },
            clock: .movedBySleep(sleep), report: { _ in })
        let task = Task { await agent.run() }
        while !state.withLock({ $0.isDone }) { try? await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        _ = await task.value
    }
}

extension LineClock {
    /// A clock that advances only when a sleep ends, by the length of that sleep.
    package static func movedBySleep(
        _ sleep: @escaping @Sendable (Duration) async throws -> Void
    ) -> LineClock {
        let slept = Guarded(Duration.zero)
        return LineClock(
            now: { slept.withLock { $0 } },
            sleep: { limit in
                try await sleep(limit)
                slept.withLock { $0 += limit }
            })
    }
}
