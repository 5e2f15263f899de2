package import TapcardDomain
import TextCodecs

/// The Mastermind service over HTTP. Only the request for the ranking is retried. A guess that was
/// sent twice could count twice, and a repeated request to start a game could start a second one.
package struct RemoteMastermind: MastermindService {
    private let caller: ServiceCaller

    package init(
        _ address: ServiceAddress, through transport: any HTTPTransport,
        timeouts: ServiceTimeouts = .mastermind, in dependencies: ServiceDependencies = .system
    ) {
        caller = ServiceCaller(
            address: address, transport: transport, timeouts: timeouts, dependencies: dependencies)
    }

    package func logIn(
        user: String, password: String, timeToLive: Int?
    ) async throws(ServiceError) -> MastermindToken {
        var members = [
            JSONMember(key: "user_id", value: .string(user)),
            JSONMember(key: "password", value: .string(password)),
        ]
        if let timeToLive {
            members.append(
                JSONMember(key: "time-to-live", value: .number(String(timeToLive))))
        }
        let answer = try await caller.ask(post(.object(members)), "/login")
        // At login, these statuses mean that the password is wrong; in every other call, they mean
        // that the token is invalid.
        if [401, 403].contains(answer.status) {
            throw ServiceError(
                .wrongPassword,
                "the service at \(caller.address.host) did not accept the name or the password "
                    + "(status \(answer.status))")
        }
        return try caller.meaning(of: answer, MastermindParsing.token)
    }

    package func start(
        slots: Int, with token: MastermindToken
    ) async throws(ServiceError) -> MastermindGameID {
        let body: JSONValue = ["slots": .number(String(slots))]
        return try await call(post(body), "/logik/start", token, MastermindParsing.game)
    }

    package func guess(
        _ colors: [Int], in game: MastermindGameID, with token: MastermindToken
    ) async throws(ServiceError) -> MastermindAnswer {
        let body: JSONValue = [
            "gameId": .string(game.text),
            "guess": .array(colors.map { .number(String($0)) }),
        ]
        return try await call(post(body), "/logik/guess", token) { body throws(ServiceError) in
            // A guess has one color for each slot.
            try MastermindParsing.guess(body, slots: colors.count)
        }
    }

    package func ranking(
        with token: MastermindToken
    ) async throws(ServiceError) -> [MastermindRank] {
        try await call(.get, "/logik/ranking", token, MastermindParsing.ranking)
    }

    private func call<Value>(
        _ method: HTTPRequest.Method, _ path: String, _ token: MastermindToken,
        _ parse: ([UInt8]) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        let header = HTTPHeader("access_token", token.secret)
        let answer = try await caller.ask(method, path, headers: [header].compactMap(\.self))
        if [401, 403].contains(answer.status) {
            throw ServiceError(
                .unauthorized, "it rejected the login token (status \(answer.status))"
            ).naming(caller.address)
        }
        return try caller.meaning(of: answer, parse)
    }

    private func post(_ body: JSONValue) -> HTTPRequest.Method {
        .post(body: Array(body.text.utf8))
    }
}
