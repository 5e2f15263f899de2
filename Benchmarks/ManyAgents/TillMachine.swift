import Glibc
import RemoteReader
import RemoteServices
import SimulatedReader
import Tags
import TapcardDomain

/// The machine of a till, without files: a simulated reader with a card on it, and a connection to
/// its server.
struct TillMachine: AgentLine {
    private static let name = "ManyAgents"
    private static let start = ContinuousClock.now
    private static let limits = HTTPLimits(connecting: .seconds(3), whole: .seconds(12))

    let server: String
    let token: String
    private let polls = HTTPClient(.init(version: TillMachine.name, proxy: ""))
    private let reports = HTTPClient(.init(version: TillMachine.name, proxy: ""))

    init(server: String, token: String) { (self.server, self.token) = (server, token) }

    /// Drives the reader until the server rejects it. Prints a line each time it is attached.
    func run() async {
        let uid = [0x04] + TillMachine.random(6)
        guard let tag = TagMemory.blank(.ntag213, uid: uid) else { return }
        let agent = ReaderAgent(
            SimulatedReader(Simulation([tag], onReader: [uid])), isSimulated: true, self,
            release: TillMachine.name, random: { TillMachine.random($0) },
            clock: LineClock { ContinuousClock.now - TillMachine.start },
            report: { event in
                guard event == .attached else { return }
                print("attached")
                // Even into a pipe.
                fflush(nil)
            })
        _ = await agent.run()
    }

    func send(_ call: AgentCall, _ message: [UInt8]) async throws(AgentLineError) -> [UInt8] {
        let request = HTTPRequest(
            .message(body: message), server + AgentProtocol.path + call.rawValue,
            headers: [HTTPHeader("Authorization", "Bearer \(token)")].compactMap(\.self))
        let answer = try await translating(
            awaiting: try await (call == .report ? reports : polls).send(
                request, by: TillMachine.limits)
        ) { (error: ServiceError) in AgentLineError.offline(error.detail) }
        guard answer.status == 200 else { throw .removed("status \(answer.status)") }
        return answer.body
    }

    private static func random(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255) }
    }
}
