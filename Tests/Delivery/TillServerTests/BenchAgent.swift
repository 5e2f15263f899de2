import BlockingLane
import PortDoubles
import ReaderProcess
import RemoteReader
import SimulatedReader
import StationFiles
import Tags
import TestSupport
import Testing
import TextCodecs

/// A till's machine with a simulated reader and a blank tag on it.
final class BenchAgent: AgentLine {
    private static let uid: [UInt8] = [0x04, 1, 2, 3, 4, 5, 6]

    private let port: UInt16
    private let token = AgentToken.text([UInt8](repeating: 2, count: AgentToken.randomBytes))
    private let epoch = Guarded<UInt64>(0)
    private let last = Guarded<UInt64>(0)

    /// Enrolls the machine with this code.
    init(_ bench: TillServerBench, code: String) async throws {
        port = bench.port
        let hash = Hexadecimal.encode(AgentToken.hash(of: token))
        let enrolled = try await bench.ask(
            "POST", "/agent/v1/enroll", #"{"code":"\#(code)","token_hash":"\#(hash)"}"#)
        #expect(enrolled.status == 200, "\(enrolled.text)")
    }

    /// Drives the reader while the body runs.
    func serving(_ body: () async throws -> Void) async throws {
        let tag = try #require(TagMemory.blank(.ntag213, uid: BenchAgent.uid))
        let agent = ReaderAgent(
            SimulatedReader(Simulation([tag], onReader: [BenchAgent.uid])), isSimulated: true, self,
            release: "test", random: { [UInt8](repeating: 7, count: $0) },
            clock: .movedBySleep { try await Task.sleep(for: $0) }, report: { _ in })
        let task = Task { await agent.run() }
        while epoch.withLock({ $0 == 0 }) { try await Task.sleep(for: .milliseconds(1)) }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        task.cancel()
        _ = await task.value
        try result.get()
    }

    func send(_ call: AgentCall, _ message: [UInt8]) async throws(AgentLineError) -> [UInt8] {
        let answer: RawAnswer
        do {
            answer = try await BenchMachine.send(call.rawValue, message, port, token)
        } catch {
            throw .offline("\(error)")
        }
        switch AgentResponse(answer.body) {
        case .attached(let epoch, _): self.epoch.withLock { $0 = epoch }
        case .command(let command, _): last.withLock { $0 = command.number }
        default: break
        }
        return answer.body
    }

    /// Sends a reply that does not fit the server's command, so that the server detaches the reader.
    /// Waits until the command is one that waits for the tag or for its removal.
    func lose() async throws {
        let run = try #require(AgentRunID([UInt8](repeating: 7, count: AgentRunID.length)))
        let attachment = AgentAttachment(run, epoch: epoch.withLock { $0 })
        var answer: AgentResponse?
        while answer != .detached {
            let report = AgentReport(attachment, last.withLock { $0 }, .report(BatchReport()))
            let raw = try await BenchMachine.send("report", report.message, port, token)
            answer = AgentResponse(raw.body)
        }
    }
}
