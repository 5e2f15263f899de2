import BlockingLane
import OperatingSystem
import StationFiles
import TapcardCore
import TextCodecs
import Verbs
import WebServer

/// Checks the API tokens of programs and of other sites' pages.
final class TokenCheck: Sendable {
    private let runner: TillRunner
    private let limits = Guarded(LoginLimits())
    /// Whether others on the network cannot read the traffic.
    private let isProtected: Bool
    private let log: TillLog

    init(_ runner: TillRunner, isProtected: Bool, log: TillLog) {
        (self.runner, self.isProtected, self.log) = (runner, isProtected, log)
    }

    /// Returns the request's token if it allows this call at this till; otherwise, throws.
    func require(
        _ call: SharedCall, _ text: String, _ request: WebRequest, at till: TillRunner
    ) throws(Problem) -> APIToken {
        guard let token = try tokens().token(text), !token.isExpired(at: runner.now()) else {
            throw unknown(request)
        }
        func log(_ event: String) {
            self.log.say(
                event,
                [
                    "token": .string(token.name), "call": .string(call.rawValue),
                    "client": .string(request.client),
                ])
        }
        if let problem = refusal(of: token, call, request, at: till) {
            log("token-refused")
            throw problem
        }
        log("token")
        return token
    }

    /// Whether an accepted token is still valid.
    func isValid(_ token: APIToken) -> Bool {
        guard let known = try? tokens() else { return false }
        return known.contains(token) && !token.isExpired(at: runner.now())
    }

    private func refusal(
        of token: APIToken, _ call: SharedCall, _ request: WebRequest, at till: TillRunner
    ) -> Problem? {
        let isFromMachine = request.client.hasPrefix("127.") || request.client == "::1"
        // Browsers send the origin with each request to another one; programs send none.
        let isFromRightPlace =
            request.headers["Origin"].map { origin in
                token.origins.contains { $0.description == origin }
            } ?? token.origins.isEmpty
        if !isProtected, !isFromMachine { return .tokenForbidden("cannot be used without TLS") }
        if !isFromRightPlace { return .tokenForbidden("belongs to other web pages or programs") }
        if !token.right.includes(call.right) { return .tokenForbidden("does not allow this call") }
        if let reader = token.reader, reader != till.readerText {
            return .tokenForbidden("is for another reader")
        }
        return nil
    }

    /// The problem with a token that is not valid. Those of one address are counted, so that the
    /// log does not fill up; a valid token is accepted from there nevertheless, because nobody can
    /// guess one.
    private func unknown(_ request: WebRequest) -> Problem {
        let (now, client) = (SystemClock.millisecondsSinceBoot, request.client)
        let wait = limits.withLock { limits in
            let wait = limits.wait("", from: client, at: now)
            if wait == nil { limits.fail("", from: client, at: now) }
            return wait
        }
        if let wait {
            return .tooManyTries(
                waiting: wait, "There were too many unknown tokens.", "Nothing was done.")
        }
        log.say("token-unknown", ["client": .string(client)])
        return .unknownToken
    }

    private func tokens() throws(Problem) -> [APIToken] {
        // The sender is not known yet, so the problem must not mention the file.
        try translating(runner.tokens()) { (error: TapcardError) in
            Problem(
                error.kind,
                "No token is accepted, because the list of tokens cannot be used.", error.meaning,
                NextWords(
                    "ask-operator", "The operator can find out why with: tapcard tokens list"))
        }
    }
}

extension Problem {
    fileprivate static let unknownToken = Problem(
        .staleToken, "This API token is unknown, has expired, or was revoked.",
        "Nothing was done.",
        NextWords("ask-operator", "The station's operator can add one: tapcard tokens add NAME"))

    fileprivate static func tokenForbidden(_ why: String) -> Problem {
        Problem(
            .tokenForbidden, "This API token \(why).", "Nothing was done.",
            NextWords(
                "ask-operator", "The station's operator can add one: tapcard tokens add NAME"))
    }
}
