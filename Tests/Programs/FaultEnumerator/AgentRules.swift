import PortDoubles
import ReaderProcess
import RemoteReader
import Tags
import TapcardDomain

/// Rules of the agents that drive readers for a server.
enum AgentRules {
    static let all = [
        Encounter(rule: .batchBelongsToSelection) {
            let sent = await frames([
                command(1, select), command(2, select), command(3, batch, selection: 1),
            ])
            return (sent == 0 ? nil : "a batch reached another tag", 1)
        },
        Encounter(rule: .commandIsDoneOnce) {
            let sent = await frames([
                command(1, select), command(2, batch, selection: 1),
                command(2, batch, selection: 1),
            ])
            return (sent == 1 ? nil : "a batch was carried out \(sent) times", 1)
        },
        Encounter(rule: .onlyCurrentAttachment) {
            guard let run = AgentRunID([UInt8](repeating: 7, count: AgentRunID.length)) else {
                return ("there is no agent", 0)
            }
            let reader = RemoteReader(
                named: "a till's reader",
                clock: .movedBySleep { try await Task.sleep(for: $0) })
            let greeting = AgentGreeting(run: run, release: "1", reader: "a reader")
            for epoch: UInt64 in 1...2 { _ = await reader.attach(greeting, epoch: epoch) }
            let old = AgentPoll(AgentAttachment(run, epoch: 1), last: 0)
            let selection = Task { try? await reader.select(within: .zero) }
            let answer = await reader.answer(to: old)
            await reader.detach()
            _ = await selection.value
            return (answer == .detached ? nil : "an earlier attachment got \(answer)", 1)
        },
    ]

    private static let select = ReaderRequest.select(milliseconds: 0)
    private static let batch = ReaderRequest.batch([BatchItem(.frame([0xA2, 4, 1, 2, 3, 4]))])

    private static func command(
        _ number: UInt64, _ request: ReaderRequest, selection: UInt64 = 0
    ) -> AgentResponse {
        .command(AgentCommand(number, request, selection: selection), epoch: 1)
    }

    /// How many frames an agent with these commands sends.
    private static func frames(_ commands: [AgentResponse]) async -> Int {
        let reader = NotedReader()
        await ScriptedAgentLine(commands).serve(reader)
        return reader.noted.count { $0.hasPrefix("frame") }
    }
}
