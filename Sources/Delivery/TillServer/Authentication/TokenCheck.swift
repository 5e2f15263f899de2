import BlockingLane
import OperatingSystem
import StationFiles
import TapcardCore
import TextCodecs
import Verbs
import WebServer

/// Validates API tokens and logs their use.
final class TokenCheck: Sendable {
    private let runner: TillRunner
    private let limits = Guarded(LoginLimits())
    /// Whether the server uses TLS.
    private let isProtected: Bool
    private let log: TillLog

    init(_ runner: TillRunner, isProtected: Bool, log: TillLog) {
        (self.runner, self.isProtected, self.log) = (runner, isProtected, log)
    }

    /// Returns the token with this text. Throws if it does not allow this call at this till.
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

    /// Whether the token is still in the file, unchanged, and has not expired.
    func isValid(_ token: APIToken) -> Bool {
        guard let known = try? tokens() else { return false }
        return known.contains(token) && !token.isExpired(at: runner.now())
    }

    private func refusal(
        of token: APIToken, _ call: SharedCall, _ request: WebRequest, at till: TillRunner
    ) -> Problem? {
        // Browsers send Origin with every cross-origin request. Programs do not send it.
        let isFromRightOrigin =
            request.headers["Origin"].map { origin in
                token.origins.contains { $0.description == origin }
            } ?? token.origins.isEmpty
        if !isProtected, !request.isFromMachine {
            return .tokenForbidden("cannot be used without TLS")
        }
        if !isFromRightOrigin { return .tokenForbidden("is not for this web page or program") }
        if !token.right.includes(call.right) { return .tokenForbidden("does not allow this call") }
        if let reader = token.reader, reader != till.readerText {
            return .tokenForbidden("is for another reader")
        }
        return nil
    }

    /// Returns the problem for an unknown or expired token, and logs it. Limits the attempts per
    /// client address to keep the log small. The limit does not block valid tokens, because they
    /// cannot be guessed.
    private func unknown(_ request: WebRequest) -> Problem {
        let (now, client) = (SystemClock.millisecondsSinceBoot, request.client)
        let wait = limits.withLock { limits in
            let wait = limits.wait("", from: client, at: now)
            if wait == nil { limits.fail("", from: client, at: now) }
            return wait
        }
        if let wait {
            return .tooManyAttempts(
                waiting: wait, "There were too many unknown tokens.", "Nothing was done.")
        }
        log.say("token-unknown", ["client": .string(client)])
        return .unknownToken
    }

    private func tokens() throws(Problem) -> [APIToken] {
        // The client is not authenticated yet, so the problem must not reveal the file's path.
        try translating(runner.tokens()) { (error: TapcardError) in
            Problem(
                error.kind,
                "API tokens cannot be checked right now.", error.meaning,
                NextWords(
                    "ask-operator", "The operator can find out why with: tapcard tokens list"))
        }
    }
}

extension Problem {
    fileprivate static let unknownToken = Problem(
        .staleToken, "This API token is unknown, has expired, or was revoked.",
        "Nothing was done.", addToken)

    fileprivate static func tokenForbidden(_ why: String) -> Problem {
        Problem(.tokenForbidden, "This API token \(why).", "Nothing was done.", addToken)
    }

    /// The problem of a request from another origin without an API token. `isGiven` means that it
    /// sent something else instead.
    static func apiTokenNeeded(isGiven: Bool) -> Problem {
        Problem(
            isGiven ? .staleToken : .tokenMissing,
            isGiven ? "The API token is not valid." : "The API token is missing.",
            "Nothing was done.", addToken)
    }

    private static let addToken = NextWords(
        "ask-operator", "The operator can add one: tapcard tokens add NAME")
}
