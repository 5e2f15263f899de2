package import TapcardDomain
package import TextCodecs

/// The Mastermind service, which runs real games. All users have the same password.
package struct SandboxMastermind: Sendable {
    /// The default lifetime of a token, in seconds.
    private static let defaultTimeToLive = 3_600
    package static let maximumTokens = 1_000
    package static let maximumGames = 10_000
    package static let maximumUserLength = 64

    private struct Login: Sendable {
        let user: String
        let end: Timestamp
    }

    private struct Game: Sendable {
        let user: String
        let rules: MastermindRules
        let secret: [Int]
        var guesses = 0
        var isSolved = false
    }

    private var logins: [String: Login] = [:]
    private var games: [MastermindGameID: Game] = [:]
    /// The games, in the order in which they were started.
    private var started: [MastermindGameID] = []
    package private(set) var ranking = SandboxRanking()

    package init() {}

    /// The current numbers of tokens and games.
    package var counts: (tokens: Int, games: Int) { (logins.count, games.count) }

    package mutating func logIn(
        _ body: [UInt8], now: Timestamp, using generator: inout some RandomNumberGenerator
    ) throws(SandboxProblem) -> JSONValue {
        let request = try object(body)
        guard let user = request["user_id"]?.string,
            (1...SandboxMastermind.maximumUserLength).contains(user.utf8.count),
            let password = request["password"]?.string
        else {
            throw .malformed(
                "user_id must be text of 1 to \(SandboxMastermind.maximumUserLength) bytes, "
                    + "and password must be text")
        }
        var seconds = SandboxMastermind.defaultTimeToLive
        if let requested = request["time-to-live"] {
            let range = MastermindRules.loginSeconds
            guard let number = integer(requested), range.contains(number) else {
                throw .malformed(
                    "time-to-live must be a number of seconds in the range \(range.words)")
            }
            seconds = number
        }
        // The comparison need not take constant time, because the password is public.
        guard password == ServiceSandbox.password else {
            throw .unauthorized("wrong password")
        }
        // Expired tokens are removed first. If there is still no room, the token that expires next
        // is removed.
        logins = logins.filter { $0.value.end > now }
        if logins.count >= SandboxMastermind.maximumTokens,
            let first = logins.min(by: { $0.value.end < $1.value.end })
        {
            logins[first.key] = nil
        }
        let token = randomName(using: &generator)
        logins[token] = Login(user: user, end: now.adding(milliseconds: Int64(seconds) * 1_000))
        return ["access_token": .string(token)]
    }

    /// Invalidates a token.
    package mutating func expire(_ token: String?) {
        if let token { logins[token] = nil }
    }

    package mutating func start(
        _ body: [UInt8], token: String?, now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws(SandboxProblem) -> JSONValue {
        let user = try user(of: token, now)
        guard let slots = try object(body)["slots"].flatMap(integer),
            let rules = try? MastermindRules(slots: slots)
        else {
            throw .malformed("slots must be a number from 1 to \(MastermindRules.maximumSlots)")
        }
        guard let id = MastermindGameID(randomName(using: &generator)) else {
            throw .full("no game IDs are left")
        }
        let secret = (0..<slots).map { _ in Int.random(in: 1...rules.colors, using: &generator) }
        // The oldest game is removed to make room for the new one.
        if started.count >= SandboxMastermind.maximumGames { games[started.removeFirst()] = nil }
        games[id] = Game(user: user, rules: rules, secret: secret)
        started.append(id)
        return ["gameId": .string(id.text)]
    }

    package mutating func guess(
        _ body: [UInt8], token: String?, now: Timestamp
    ) throws(SandboxProblem) -> JSONValue {
        let user = try user(of: token, now)
        let request = try object(body)
        guard let name = request["gameId"]?.string, let elements = request["guess"]?.array else {
            throw .malformed("gameId must be text, and guess must be an array")
        }
        // A game of another user is treated as if it did not exist.
        guard let id = MastermindGameID(name), var game = games[id], game.user == user else {
            throw .notFound("this user has no such game")
        }
        guard !game.isSolved else { throw .conflict("this game has already been solved") }
        let guess = elements.compactMap(integer)
        // `compactMap` drops elements that are not numbers.
        guard guess.count == elements.count else { throw .malformed("a color must be a number") }
        try translating(game.rules.requireGuess(guess)) { (error: Refusal) in
            SandboxProblem.malformed(error.detail)
        }
        let evaluation = MastermindEvaluation(of: guess, against: game.secret)
        game.guesses += 1
        game.isSolved = evaluation.black == game.rules.slots
        games[id] = game
        if game.isSolved {
            ranking.add(
                SandboxRanking.Row(
                    game: id, user: user, solved: now, guesses: game.guesses,
                    slots: game.rules.slots))
        }
        return [
            "evaluation": [
                "black": .number(String(evaluation.black)),
                "white": .number(String(evaluation.white)),
            ],
            "guessCount": .number(String(game.guesses)),
        ]
    }

    package func ranking(
        token: String?, icons: String, now: Timestamp
    ) throws(SandboxProblem) -> JSONValue {
        _ = try user(of: token, now)
        return ranking.document(icons: icons)
    }

    private func user(of token: String?, _ now: Timestamp) throws(SandboxProblem) -> String {
        guard let token else { throw .unauthorized("access_token is missing") }
        guard let login = logins[token], login.end > now else {
            throw .unauthorized("access_token is expired or unknown")
        }
        return login.user
    }

    private func object(_ body: [UInt8]) throws(SandboxProblem) -> JSONValue {
        guard let value = try? JSONValue.parsing(body), value.members != nil else {
            throw .malformed("the body is not a JSON object")
        }
        return value
    }

    private func integer(_ value: JSONValue) -> Int? { value.numberText.flatMap { Int($0) } }

    /// A random name consisting of 32 hexadecimal digits.
    private func randomName(using generator: inout some RandomNumberGenerator) -> String {
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Hexadecimal.encode(bytes).lowercased()
    }
}
