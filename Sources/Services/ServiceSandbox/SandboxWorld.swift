package import TapcardDomain
package import TextCodecs

/// All three services and their failures, without a network. The time and the random number
/// generator are passed in.
package struct SandboxWorld: Sendable {
    /// The path to which a failing service redirects.
    static let redirectedPath = "/sandbox/redirected"
    static let hugeBytes = 100 << 20

    package var activation = SandboxActivation()
    package var lottery = SandboxLottery()
    package var mastermind = SandboxMastermind()
    /// The current failure.
    package var failure: SandboxSwitch?
    package var log = SandboxLog()
    /// The base address of the icons in the ranking.
    package var icons = ""

    package init(failure: SandboxSwitch? = nil) { self.failure = failure }

    /// Responds to a request, either correctly or according to the current failure.
    package mutating func answer(
        _ call: SandboxCall, _ question: SandboxQuestion, now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> SandboxAnswer {
        let request = "\(call.method) \(call.path)"
        log.arrived(request, code: question.code)
        let answer: SandboxAnswer
        if let failure, failure.affects(call) {
            self.failure = failure.next
            answer = fail(failure, call, question, now, using: &generator)
        } else {
            answer = respond(to: call, question, now, using: &generator)
        }
        log.answered(request, answer.status)
        return answer
    }

    /// Fails in the specified way. If the response is late or cut off, the request still takes
    /// effect. With any other failure, it does not.
    private mutating func fail(
        _ failure: SandboxSwitch, _ call: SandboxCall, _ question: SandboxQuestion,
        _ now: Timestamp, using generator: inout some RandomNumberGenerator
    ) -> SandboxAnswer {
        // For `cutOff`, a client gets the list even if it already has it, because a 304 has no body
        // to cut off.
        var unconditional = question
        unconditional.knownTag = nil
        switch failure.failure {
        case .slow:
            var answer = respond(to: call, question, now, using: &generator)
            answer.delay = .seconds(failure.seconds)
            return answer
        case .cutOff:
            var answer = respond(to: call, unconditional, now, using: &generator)
            if case .text(let text) = answer.body {
                let half = String(text.prefix(text.count / 2))
                answer.body = .cutOff(half, promisedBytes: text.utf8.count)
            }
            return answer
        case .huge:
            return SandboxWorld.spaces(isAnnounced: true)
        case .hugeUnannounced:
            return SandboxWorld.spaces(isAnnounced: false)
        case .notJSON:
            return SandboxAnswer(
                200, headers: ["Content-Type": "text/html"],
                body: .text("<!DOCTYPE html><title>Sandbox</title><p>This is not JSON.\n"))
        case .wrongShape: return SandboxAnswer(["answer": 42])
        case .redirect:
            return SandboxAnswer(302, headers: ["Location": SandboxWorld.redirectedPath])
        case .badRequest, .notFound, .broken, .unavailable:
            return SandboxAnswer(
                ["error": "this failure was switched on in the sandbox"],
                status: Int(failure.failure.rawValue) ?? 500)
        // Only a version later than 6.1 means that a code is active.
        case .wrongVersion: return SandboxAnswer(SandboxActivation.document("6.1"))
        case .badVersion: return SandboxAnswer(SandboxActivation.document("six"))
        case .emptyVersion: return SandboxAnswer(SandboxActivation.document(""))
        case .badBalls: return invalidList(call, .balls)
        case .duplicateBalls: return invalidList(call, .duplicateBalls)
        case .badDate: return invalidList(call, .date)
        case .expiredToken:
            // The token expires permanently, so that the client has to log in again.
            mastermind.expire(question.token)
            return respond(to: call, question, now, using: &generator)
        }
    }

    private static func spaces(isAnnounced: Bool) -> SandboxAnswer {
        SandboxAnswer(
            200, headers: ["Content-Type": "application/json"],
            body: .spaces(hugeBytes, isAnnounced: isAnnounced))
    }

    private func invalidList(
        _ call: SandboxCall, _ invalid: SandboxLottery.InvalidEntry
    ) -> SandboxAnswer {
        call == .tickets
            ? lottery.answerTickets(invalid: invalid) : lottery.answerDraws(invalid: invalid)
    }

    private mutating func respond(
        to call: SandboxCall, _ question: SandboxQuestion, _ now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) -> SandboxAnswer {
        do throws(SandboxProblem) {
            switch call {
            case .version: return SandboxAnswer(try activation.answer(code: question.code))
            case .draws: return lottery.answerDraws(question.knownTag)
            case .tickets: return lottery.answerTickets(question.knownTag)
            case .login:
                return SandboxAnswer(
                    try mastermind.logIn(question.body, now: now, using: &generator))
            case .start:
                return SandboxAnswer(
                    try mastermind.start(
                        question.body, token: question.token, now: now, using: &generator))
            case .guess:
                return SandboxAnswer(
                    try mastermind.guess(question.body, token: question.token, now: now))
            case .ranking:
                return SandboxAnswer(
                    try mastermind.ranking(token: question.token, icons: icons, now: now))
            }
        } catch {
            return SandboxAnswer(error)
        }
    }

    /// The state of the sandbox, for GET /sandbox.
    package var document: JSONValue {
        .object(
            [
                JSONMember(key: "failure", value: failureText),
                JSONMember(key: "version", value: .string(activation.version)),
                JSONMember(key: "draws", value: .number(String(lottery.draws.count))),
                JSONMember(key: "games", value: .number(String(mastermind.counts.games))),
            ] + log.members)
    }

    package var failureText: JSONValue { .string(failure?.description ?? "none") }

    /// Turns a failure on. "none" turns the current failure off.
    package mutating func switchFailure(_ text: String) throws(SandboxProblem) {
        if text == "none" {
            failure = nil
            return
        }
        guard let requested = SandboxSwitch(text) else {
            throw .malformed(SandboxSwitch.refusal(text))
        }
        failure = requested
    }
}
