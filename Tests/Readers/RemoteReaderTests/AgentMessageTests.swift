import ReaderProcess
import RemoteReader
import Tags
import Testing

@Suite("Messages between an agent and its server")
struct AgentMessageTests {
    /// A new run of an agent.
    private static func run() -> AgentRunID {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<AgentRunID.length).map { _ in UInt8.random(in: 0...255, using: &generator)
        }
        guard let run = AgentRunID(bytes) else { preconditionFailure("the length is right") }
        return run
    }

    private static let line = AgentAttachment(Self.run(), epoch: 7)
    private static let answers: [AgentResponse] = [
        .attached(epoch: 7, version: 1), .nothing, .detached, .replaced, .outdated(oldest: 3),
        .command(AgentCommand(1, .select(milliseconds: 100)), epoch: 7),
        .command(AgentCommand(5, .select(milliseconds: 0), signaling: .refused), epoch: 7),
        .command(AgentCommand(2, .removal(of: [4, 1], sawSeveral: true)), epoch: 7),
        .command(AgentCommand(3, .removal(of: nil, sawSeveral: false)), epoch: 7),
        .command(AgentCommand(4, .batch([BatchItem(.frame([0x30]))]), selection: 1), epoch: 7),
    ]

    @Test("Every answer can be read back, and is rejected if it is cut short or has extra bytes")
    func answers() {
        for answer in Self.answers {
            #expect(AgentResponse(answer.message) == answer)
            for length in 0..<answer.message.count {
                let part = AgentResponse(Array(answer.message.prefix(length)))
                #expect(part == nil, "\(answer) cut to \(length)")
            }
            #expect(AgentResponse(answer.message + [0]) == nil, "\(answer)")
        }
    }

    @Test("Every message of an agent can be read back, and is rejected if it is cut short")
    func messages() {
        let poll = AgentPoll(Self.line, last: 9)
        #expect(AgentPoll(poll.message) == poll)
        let report = AgentReport(Self.line, 9, .failed(ReaderError(.noTag)))
        #expect(AgentReport(report.message) == report)
        let greeting = AgentGreeting(run: Self.line.run, release: "1.2", reader: "PN532")
        #expect(AgentGreeting(greeting.message) == greeting)
        #expect(AgentGreeting(greeting.message + [1]) == nil)
        for (message, isRead) in [
            (poll.message, { AgentPoll($0) != nil }),
            (report.message, { AgentReport($0) != nil }),
            (greeting.message, { AgentGreeting($0) != nil }),
        ] as [([UInt8], ([UInt8]) -> Bool)] {
            for length in 0..<message.count { #expect(!isRead(Array(message.prefix(length)))) }
        }
    }

    @Test("A greeting of a later version may have more fields")
    func later() {
        let greeting = AgentGreeting(run: Self.line.run, newest: 9, release: "9", reader: "r")
        #expect(AgentGreeting(greeting.message + [1, 2, 3]) == greeting)
    }
}
