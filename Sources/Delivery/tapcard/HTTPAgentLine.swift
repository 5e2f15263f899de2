import BlockingLane
import RemoteReader
import RemoteServices
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import TillServer
import Verbs

/// An agent's connection to its servers over HTTP.
/// All servers share one ledger, so when one is offline or silent, the agent tries the next one.
struct HTTPAgentLine: AgentLine {
    /// The HTTP clients for reports and for all other calls. Reports have a connection of their own
    /// because a poll keeps the other one busy for up to 8 seconds.
    private struct Clients {
        let polls: HTTPClient
        let reports: HTTPClient

        init(_ options: HTTPClient.Options) {
            (polls, reports) = (HTTPClient(options), HTTPClient(options))
        }
    }

    private static let connecting = Duration.seconds(3)
    private static let responding = Duration.seconds(5)
    /// The time limit for a poll or an exchange, whose response may take up to 8 seconds.
    private static let polling = Duration.seconds(12)

    private let servers: [String]
    /// The number of times that the agent has switched to the next server.
    private let switches = Guarded(0)
    private let token: String
    private let isSimulated: Bool
    /// The clients for servers on the same machine. Their requests are plain HTTP and must not go
    /// through a proxy, which would see the token.
    private let local: Clients
    /// The clients for all other servers. They may use a proxy.
    private let remote: Clients

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
        let authorities = try isPinned ? nil : settings.authorities
        func clients(proxy: String?) -> Clients {
            Clients(
                HTTPClient.Options(
                    version: Release.version, authorities: authorities, proxy: proxy,
                    pins: connection.pins.map(\.hash), noticesDeadLines: true))
        }
        (local, remote) = (clients(proxy: ""), clients(proxy: nil))
        isSimulated = settings.readerIsSimulated
    }

    /// The address of the server that the agent currently uses.
    var server: String { servers[switches.withLock { $0 } % servers.count] }

    private func useNextServer() { switches.withLock { $0 += 1 } }

    func send(_ call: AgentCall, _ message: [UInt8]) async throws(AgentLineError) -> [UInt8] {
        do throws(AgentLineError) {
            return try await sendOnce(call, message)
        } catch {
            // All servers share one ledger, so the next call may go to any of them. The agent stays
            // with an offline server until it attaches again. It leaves a server that does not
            // respond, except after a report.
            switch (error, call) {
            case (.offline, .attach): useNextServer()
            case (.silent, let call) where call != .report: useNextServer()
            default: break
            }
            throw error
        }
    }

    private func sendOnce(
        _ call: AgentCall, _ message: [UInt8]
    ) async throws(AgentLineError) -> [UInt8] {
        let server = server
        let clients = clients(for: server)
        let answer = try await translating(
            awaiting: try await ask(
                server, call.rawValue, message, authorization,
                with: call == .report ? clients.reports : clients.polls,
                within: call.waitsForCommand ? HTTPAgentLine.polling : HTTPAgentLine.responding)
        ) { (error: ServiceError) -> AgentLineError in
            error.kind == .timedOut ? .silent(error.detail) : .offline(error.detail)
        }
        if answer.status == 200 { return answer.body }
        let refusal = answer.refusal
        // Only a refusal by the server itself may stop the agent. Any other answer may come
        // from something in between, such as a proxy, and proves nothing.
        if let refusal, refusal.word == ServerCondition.staleToken.rawValue {
            throw .removed(refusal.title)
        }
        throw .offline(refusal?.title ?? answer.statusWords)
    }

    private var authorization: [HTTPHeader] {
        [HTTPHeader("Authorization", "Bearer " + token)].compactMap(\.self)
    }

    private func clients(for server: String) -> Clients {
        server.hasPrefix("http:") ? local : remote
    }

    private func ask(
        _ server: String, _ name: String, _ message: [UInt8], _ headers: [HTTPHeader],
        with client: HTTPClient, within limit: Duration
    ) async throws(ServiceError) -> HTTPAnswer {
        try await client.send(
            HTTPRequest(
                .message(body: message), server + AgentProtocol.path + name, headers: headers),
            by: HTTPLimits(connecting: HTTPAgentLine.connecting, whole: limit))
    }

    /// Enters this machine for a till with a code, and returns the till's name.
    /// Servers that fail are skipped, and each server is asked at most once.
    func enroll(_ code: String) async throws(TapcardError) -> String {
        let document: JSONValue = [
            "code": .string(code),
            "token_hash": .string(Hexadecimal.encode(AgentToken.hash(of: token))),
            "simulated": .bool(isSimulated),
        ]
        var serversLeft = servers.count
        while true {
            serversLeft -= 1
            let asked = await askForTill(AgentProtocol.enrollment, Array(document.text.utf8), [])
            switch asked.answer {
            case .accepted(let till): return till
            // The servers share a ledger, so every other server would refuse this code as well.
            case .refused(Refusal.Rule.badIdentifier.rawValue, let title):
                throw TapcardError(
                    .service(.refused), "The server did not accept the code: \(title)",
                    meaning: "The reader is not connected.",
                    advice: "Check the code. If it is right, get a new one on the server: "
                        + "tapcard tills code NAME")
            case .failed where serversLeft > 0: useNextServer()
            case .refused, .failed: throw asked.error(at: Wiring.now())
            }
        }
    }

    /// Asks whether the server would accept the reader, without connecting it.
    func check() async -> CheckedServer {
        await askForTill(AgentProtocol.check, [isSimulated ? 1 : 0], authorization)
    }

    /// Sends a request to which the server responds with the till's name. Returns the outcome, and
    /// by how much the server's clock is ahead.
    private func askForTill(
        _ name: String, _ message: [UInt8], _ headers: [HTTPHeader]
    ) async -> CheckedServer {
        let address = server
        let answer: HTTPAnswer
        do throws(ServiceError) {
            answer = try await ask(
                address, name, message, headers, with: clients(for: address).reports,
                within: HTTPAgentLine.responding)
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
        // A status of 500 or above reports a failure, which says nothing about the code or the
        // token.
        return CheckedServer(
            address,
            answer.status < 500
                ? .refused(word: refusal.word, title: refusal.title)
                : .failed(ServiceError(.broken, refusal.title)), clockLead: lead)
    }
}

extension HTTPAnswer {
    /// The word and the title of the refusal in the body, or nil if the body contains none.
    fileprivate var refusal: (word: String, title: String)? {
        let document = try? JSONValue.parsing(body)
        guard let word = document?["error"]?.string, let title = document?["title"]?.string else {
            return nil
        }
        return (word, title)
    }

    fileprivate var statusWords: String { "the server responded with status \(status)" }
}
