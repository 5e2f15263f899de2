import BlockingLane
import RemoteReader
import RemoteServices
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import TillServer
import Verbs

/// Connects an agent to its server. Reports have their own HTTP connection, so that they need not
/// wait for the open poll.
struct HTTPAgentLine: AgentLine {
    private static let path = "/agent/v1/"
    private static let connecting = Duration.seconds(3)
    private static let whole = Duration.seconds(5)
    /// The time limit for a poll: the server holds its response back for up to eight seconds; the
    /// rest is for a slow network.
    private static let polling = Duration.seconds(12)

    private let servers: [String]
    /// How often the agent has switched servers. The remainder is the index of the current one.
    private let current = Guarded(0)
    private let token: String
    private let isSimulated: Bool
    private let polls: HTTPClient
    private let reports: HTTPClient

    init(_ connection: AgentConnection, _ settings: Settings) throws(TapcardError) {
        (servers, token) = (connection.servers, connection.token)
        let isPinned = !connection.pins.isEmpty
        guard !isPinned || connection.servers.allSatisfy({ $0.hasPrefix("https:") }) else {
            throw TapcardError(
                .usage,
                "The code names a certificate, so the server's address must begin with https:.",
                meaning: "The reader is not connected.",
                advice: "Use that address, or get a code without a certificate.")
        }
        // Plain HTTP is for servers on this machine. A proxy would see the token.
        let isPlain = connection.servers.contains { $0.hasPrefix("http:") }
        let options = HTTPClient.Options(
            version: Release.version, authorities: try isPinned ? nil : settings.authorities,
            proxy: isPlain ? "" : nil, pins: connection.pins.map(\.hash), noticesDeadLines: true)
        isSimulated = settings.readerIsSimulated
        (polls, reports) = (HTTPClient(options), HTTPClient(options))
    }

    /// The server in use.
    var server: String { servers[current.withLock { $0 } % servers.count] }

    private func useNextServer() { current.withLock { $0 += 1 } }

    func send(_ call: AgentCall, _ message: [UInt8]) async throws(AgentLineError) -> [UInt8] {
        do throws(AgentLineError) {
            return try await sendOnce(call, message)
        } catch {
            // All servers share the ledger, so the agent can attach its reader to the next one.
            switch (error, call) {
            case (.offline, .attach), (.silent, .attach), (.silent, .poll): useNextServer()
            default: break
            }
            throw error
        }
    }

    private func sendOnce(
        _ call: AgentCall, _ message: [UInt8]
    ) async throws(AgentLineError) -> [UInt8] {
        let answer = try await translating(
            awaiting: try await ask(
                call.rawValue, message, authorization,
                with: call == .report ? reports : polls,
                within: call == .poll ? HTTPAgentLine.polling : HTTPAgentLine.whole)
        ) { (error: ServiceError) -> AgentLineError in
            error.kind == .timedOut ? .silent(error.detail) : .offline(error.detail)
        }
        if answer.status == 200 { return answer.body }
        let refusal = answer.refusal
        // Any other refusal may be temporary, or come from a proxy.
        if let refusal, refusal.word == ServerCondition.staleToken.rawValue {
            throw .removed(refusal.title)
        }
        throw .offline(refusal?.title ?? answer.statusWords)
    }

    private var authorization: [HTTPHeader] {
        [HTTPHeader("Authorization", "Bearer " + token)].compactMap(\.self)
    }

    /// Sends a request to the server in use.
    private func ask(
        _ name: String, _ message: [UInt8], _ headers: [HTTPHeader],
        with client: HTTPClient, within limit: Duration
    ) async throws(ServiceError) -> HTTPAnswer {
        try await client.send(
            HTTPRequest(
                .message(body: message), server + HTTPAgentLine.path + name, headers: headers),
            by: HTTPLimits(connecting: HTTPAgentLine.connecting, whole: limit))
    }

    /// Enrolls this agent for the till with this code at the first server that can be used, and
    /// returns the till's name.
    func enroll(_ code: String) async throws(TapcardError) -> String {
        let document: JSONValue = [
            "code": .string(code),
            "token_hash": .string(Hexadecimal.encode(AgentToken.hash(of: token))),
        ]
        var serversLeft = servers.count
        while true {
            serversLeft -= 1
            let asked = await askForTill("enroll", Array(document.text.utf8), [])
            switch asked.answer {
            case .accepted(let till): return till
            // Servers share their codes, so another one would refuse it as well.
            case .refused(_, let title):
                throw TapcardError(
                    .service(.refused), "The server did not accept the code: \(title)",
                    meaning: "The reader is not connected.",
                    advice: "On the server, get a new code: tapcard tills code NAME")
            case .failed where serversLeft == 0: throw asked.error(at: Wiring.now())
            case .failed: useNextServer()
            }
        }
    }

    /// Asks the server in use whether it would attach the reader, and attaches nothing.
    func check() async -> CheckedServer {
        await askForTill("check", [isSimulated ? 1 : 0], authorization)
    }

    /// Sends a request whose answer names the till.
    private func askForTill(
        _ name: String, _ message: [UInt8], _ headers: [HTTPHeader]
    ) async -> CheckedServer {
        let address = server
        let answer: HTTPAnswer
        do throws(ServiceError) {
            answer = try await ask(
                name, message, headers, with: reports, within: HTTPAgentLine.whole)
        } catch {
            return CheckedServer(address, .failed(error))
        }
        let lead = answer.head["date"].flatMap { LocalTime.time(http: $0) }
            .map { $0.milliseconds - Wiring.now().milliseconds }
        if answer.status == 200, let till = (try? JSONValue.parsing(answer.body))?["till"]?.string {
            return CheckedServer(address, .accepted(till: till), clockLead: lead)
        }
        guard let refusal = answer.refusal else {
            let other = ServiceError(.wrongShape, answer.statusWords)
            return CheckedServer(address, .failed(other), clockLead: lead)
        }
        // A server that starts or stops, or whose ledger is offline, has not judged the request.
        return CheckedServer(
            address,
            answer.status < 500
                ? .refused(word: refusal.word, title: refusal.title)
                : .failed(ServiceError(.broken, refusal.title)), clockLead: lead)
    }
}

extension HTTPAnswer {
    /// The refusal by a server; nil if another program answered, such as a proxy.
    fileprivate var refusal: (word: String, title: String)? {
        let document = try? JSONValue.parsing(body)
        guard let word = document?["error"]?.string, let title = document?["title"]?.string else {
            return nil
        }
        return (word, title)
    }

    fileprivate var statusWords: String { "the server responded with status \(status)" }
}
