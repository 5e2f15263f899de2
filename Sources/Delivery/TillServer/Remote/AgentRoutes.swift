import BlockingLane
import CardCryptography
import Ledger
import OperatingSystem
import RemoteReader
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs
import Verbs
import WebServer

/// The routes for agents. They are not part of the public API, because only `tapcard reader` uses
/// them.
struct AgentRoutes: Sendable {
    let tills: EnrolledTills
    let log: TillLog
    /// Counts unknown codes and tokens from each client, to slow down guessing.
    private let limits = Guarded(LoginLimits())

    init(tills: EnrolledTills, log: TillLog) { (self.tills, self.log) = (tills, log) }

    /// The reply to a request from an agent; nil for any other request.
    func reply(to request: WebRequest) -> WebReply? {
        guard request.path.hasPrefix(AgentProtocol.path) else { return nil }
        let name = String(request.path.dropFirst(AgentProtocol.path.count))
        let call = AgentCall(rawValue: name)
        let isCheck = name == AgentProtocol.check
        guard call != nil || isCheck || name == AgentProtocol.enrollment else {
            return .now(Problem(.notFound, "There is nothing at this path.").response)
        }
        guard request.method == "POST" else {
            var problem = Problem(.wrongMethod, "This path accepts POST only.")
            problem.headers = [("Allow", "POST")]
            return .now(problem.response)
        }
        return .later {
            do throws(Problem) {
                if isCheck { return try await check(request) }
                guard let call else { return try await enroll(request) }
                return try await answer(call, request)
            } catch {
                return error.response
            }
        }
    }

    /// Enrolls an agent, which sends the till's code, the hash of its new token, and whether its
    /// reader is simulated.
    private func enroll(_ request: WebRequest) async throws(Problem) -> WebResponse {
        guard let document = try? JSONValue.parsing(request.body),
            let code = document["code"]?.string,
            let hash = document["token_hash"]?.string.flatMap(Hexadecimal.decode),
            hash.count == SHA256.size
        else { throw Problem(.usage, "The request needs a code and the hash of a token.") }
        try requireFewFailures(request)
        // Otherwise, the code would be used up by a machine that could never connect.
        if let isSimulated = document["simulated"]?.bool { try requireReader(isSimulated) }
        let outcome = try await translating(
            awaiting: try await tills.enroll(code: code, tokenHash: hash),
            into: AgentRoutes.problem)
        switch outcome {
        case .done(let till):
            log.say(
                "till-enrolled", ["till": .number(till.number), "client": .string(request.client)])
            return AgentRoutes.answer(naming: till)
        case .refused(let refusal):
            throw failed(Problem(TapcardError(refusal)), request)
        }
    }

    /// Says which till the agent with this token has.
    private func check(_ request: WebRequest) async throws(Problem) -> WebResponse {
        let hash = try AgentRoutes.tokenHash(of: request)
        guard request.body == [0] || request.body == [1] else { throw .badMessage }
        try await requireFewFailures(request, tokenHash: hash)
        try requireReader(request.body == [1])
        let outcome = try await translating(
            awaiting: try await tills.check(tokenHash: hash),
            into: AgentRoutes.problem)
        switch outcome {
        case .done(let till): return AgentRoutes.answer(naming: till)
        case .refused(let refusal): throw noted(refusal, request)
        }
    }

    private static func answer(naming till: EnrolledTill) -> WebResponse {
        .answer(["till": .string(till.name.text), "number": .number(till.number)])
    }

    private static func tokenHash(of request: WebRequest) throws(Problem) -> [UInt8] {
        guard let token = request.bearerToken, AgentToken.isToken(token) else {
            throw .unknownAgent
        }
        return AgentToken.hash(of: token)
    }

    private func answer(
        _ call: AgentCall, _ request: WebRequest
    ) async throws(Problem) -> WebResponse {
        let hash = try AgentRoutes.tokenHash(of: request)
        guard call == .attach else {
            // No till here has this token, so the agent must attach its reader; attaching asks the
            // ledger.
            guard let reader = await tills.reader(tokenHash: hash) else {
                return message(.detached)
            }
            guard let answer = await reader.answer(to: call, request.body) else {
                throw .badMessage
            }
            return message(answer)
        }
        guard await !tills.isClosing else { throw .serverCloses }
        guard let greeting = AgentGreeting(request.body) else { throw .badMessage }
        try await requireFewFailures(request, tokenHash: hash)
        try requireReader(greeting.isSimulated)
        let outcome = try await translating(
            awaiting: try await tills.attach(tokenHash: hash, greeting, from: request.client),
            into: AgentRoutes.problem)
        switch outcome {
        case .answer(let answer): return message(answer).forKnownClient()
        case .refused(let refusal): throw noted(refusal, request)
        }
    }

    /// The problem for an agent that is refused. An unknown token counts as a failed attempt.
    private func noted(_ refusal: Refusal, _ request: WebRequest) -> Problem {
        refusal.rule == .badIdentifier
            ? failed(.unknownAgent, request) : Problem(TapcardError(refusal))
    }

    /// Refuses a simulated reader if this server is for real money, and a real one if it is for
    /// play money.
    private func requireReader(_ isSimulated: Bool) throws(Problem) {
        if isSimulated != tills.isForPlayMoney { throw .wrongReader(isSimulated) }
    }

    private static func problem(_ error: LedgerError) -> Problem { Problem(TapcardError(error)) }

    private func message(_ answer: AgentResponse) -> WebResponse {
        WebResponse(
            200, headers: [("Content-Type", "application/octet-stream")],
            body: .bytes(answer.message))
    }

    /// Refuses a client that has sent too many unknown codes or tokens, unless this token is known.
    /// Others at the same address must not keep a till from connecting.
    private func requireFewFailures(
        _ request: WebRequest, tokenHash: [UInt8]
    ) async throws(Problem) {
        if await tills.reader(tokenHash: tokenHash) == nil { try requireFewFailures(request) }
    }

    /// Refuses a client that has sent too many unknown codes or tokens.
    private func requireFewFailures(_ request: WebRequest) throws(Problem) {
        let now = SystemClock.millisecondsSinceBoot
        guard let wait = limits.withLock({ $0.wait("", from: request.client, at: now) }) else {
            return
        }
        throw .tooManyAttempts(
            waiting: wait, "There were too many unknown codes or tokens.",
            "The reader is not connected.")
    }

    /// Counts a failed attempt by this client, and returns the problem.
    private func failed(_ problem: Problem, _ request: WebRequest) -> Problem {
        let now = SystemClock.millisecondsSinceBoot
        limits.withLock { $0.fail("", from: request.client, at: now) }
        log.say("agent-refused", ["client": .string(request.client)])
        return problem
    }
}

extension Problem {
    fileprivate static let unknownAgent = Problem(
        .staleToken, "The till was removed, or another machine has connected as this till.",
        "The reader is not connected.")
    fileprivate static func wrongReader(_ isSimulated: Bool) -> Problem {
        Problem(
            .wrongReader,
            isSimulated
                ? "This server is for real money, so it cannot use a simulated reader."
                : "This server is for play money, so it cannot use a real reader.",
            "The reader is not connected.")
    }
    fileprivate static let serverCloses = Problem(.closing, "The server is shutting down.")
    fileprivate static let badMessage = Problem(.usage, "This is not a valid agent message.")
}
