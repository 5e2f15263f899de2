import BlockingLane
import RemoteReader
import RemoteServices
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
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
    private let polls: HTTPClient
    private let reports: HTTPClient

    init(_ servers: [String], _ token: String, _ options: HTTPClient.Options) {
        (self.servers, self.token) = (servers, token)
        (polls, reports) = (HTTPClient(options), HTTPClient(options))
    }

    /// The server in use.
    var server: String { servers[current.withLock { $0 } % servers.count] }

    func send(_ call: AgentCall, _ message: [UInt8]) async throws(AgentLineError) -> [UInt8] {
        do throws(AgentLineError) {
            return try await sendOnce(call, message)
        } catch {
            // All servers share the ledger, so the agent can attach its reader to the next one.
            switch (error, call) {
            case (.offline, .attach), (.silent, .attach), (.silent, .poll):
                current.withLock { $0 += 1 }
            default: break
            }
            throw error
        }
    }

    private func sendOnce(
        _ call: AgentCall, _ message: [UInt8]
    ) async throws(AgentLineError) -> [UInt8] {
        let client = call == .report ? reports : polls
        let headers = [HTTPHeader("Authorization", "Bearer " + token)].compactMap(\.self)
        let answer = try await translating(
            awaiting: try await client.send(
                HTTPRequest(
                    .message(body: message), server + HTTPAgentLine.path + call.rawValue,
                    headers: headers),
                by: HTTPLimits(
                    connecting: HTTPAgentLine.connecting,
                    whole: call == .poll ? HTTPAgentLine.polling : HTTPAgentLine.whole))
        ) { (error: ServiceError) -> AgentLineError in
            error.kind == .timedOut ? .silent(error.detail) : .offline(error.detail)
        }
        switch answer.status {
        case 200: return answer.body
        case 401: throw .removed(HTTPAgentLine.reason(of: answer))
        default: throw .offline(HTTPAgentLine.reason(of: answer))
        }
    }

    /// Enrolls this agent for the till with this code, and returns the till's name.
    func enroll(_ code: String) async throws(TapcardError) -> String {
        let document: JSONValue = [
            "code": .string(code),
            "token_hash": .string(Hexadecimal.encode(AgentToken.hash(of: token))),
        ]
        let meaning = "The reader is not connected."
        let answer = try await translating(
            awaiting: try await reports.send(
                HTTPRequest(
                    .message(body: Array(document.text.utf8)),
                    server + HTTPAgentLine.path + "enroll"),
                by: HTTPLimits(connecting: HTTPAgentLine.connecting, whole: HTTPAgentLine.whole))
        ) { (error: ServiceError) in TapcardError(error, meaning: meaning) }
        guard answer.status == 200,
            let till = (try? JSONValue.parsing(answer.body))?["till"]?.string
        else {
            throw TapcardError(
                .service(.refused),
                "The server did not accept the code: \(HTTPAgentLine.reason(of: answer))",
                meaning: meaning, advice: "On the server, get a new code: tapcard tills code NAME")
        }
        return till
    }

    /// Why the server refused a request, or the HTTP status if it gave no reason.
    private static func reason(of answer: HTTPAnswer) -> String {
        (try? JSONValue.parsing(answer.body))?["title"]?.string
            ?? "the server responded with status \(answer.status)"
    }
}
