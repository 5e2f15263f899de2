package import TapcardDomain
package import TextCodecs

/// The Mastermind service with real games. Every user has the same password.
package struct SandboxMastermind: Sendable {
    private static let usualTimeToLive = 3_600
    package static let mostTokens = 1_000
    package static let mostGames = 10_000
    package static let longestUser = 64

    private struct Pass: Sendable {
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

    private var passes: [String: Pass] = [:]
    private var games: [MastermindGameID: Game] = [:]
    /// The games, in the order in which they were started.
    private var started: [MastermindGameID] = []
    package private(set) var ranking = SandboxRanking()

    package init() {}

    /// The current number of tokens and games.
    package var counts: (tokens: Int, games: Int) { (passes.count, games.count) }

    package mutating func logIn(
        _ body: [UInt8], now: Timestamp, using chance: inout some RandomNumberGenerator
    ) throws(SandboxProblem) -> JSONValue {
        let request = try object(body)
        guard let user = request["user_id"]?.string,
            (1...SandboxMastermind.longestUser).contains(user.utf8.count),
            let attempt = request["password"]?.string
        else {
            throw .malformed(
                "user_id must be text of 1 to \(SandboxMastermind.longestUser) bytes, and password "
                    + "must be text")
        }
        var seconds = SandboxMastermind.usualTimeToLive
        if let wish = request["time-to-live"] {
            let range = MastermindRules.loginSeconds
            guard let number = integer(wish), range.contains(number) else {
                throw .malformed(
                    "time-to-live must be a number of seconds in the range \(range.words)")
            }
            seconds = number
        }
        // Not in constant time: this password is public.
        guard attempt == ServiceSandbox.password else {
            throw .unauthorized("wrong password")
        }
        // If it is still full, the token that expires first makes room.
        passes = passes.filter { $0.value.end > now }
        if passes.count >= SandboxMastermind.mostTokens,
            let first = passes.min(by: { $0.value.end < $1.value.end })
        {
            passes[first.key] = nil
        }
        let token = name(using: &chance)
        passes[token] = Pass(user: user, end: now.adding(milliseconds: Int64(seconds) * 1_000))
        return ["access_token": .string(token)]
    }

    /// Makes a token invalid.
    package mutating func expire(_ token: String?) {
        if let token { passes[token] = nil }
    }

    package mutating func start(
        _ body: [UInt8], token: String?, now: Timestamp,
        using chance: inout some RandomNumberGenerator
    ) throws(SandboxProblem) -> JSONValue {
        let user = try user(of: token, now)
        guard let slots = try object(body)["slots"].flatMap(integer),
            let rules = try? MastermindRules(slots: slots)
        else { throw .malformed("slots is a number, 1 to \(MastermindRules.mostSlots)") }
        guard let id = MastermindGameID(name(using: &chance)) else {
            throw .full("no game names are left")
        }
        let secret = (0..<slots).map { _ in Int.random(in: 1...rules.colours, using: &chance) }
        if started.count >= SandboxMastermind.mostGames { games[started.removeFirst()] = nil }
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
            throw .malformed("gameId is a text, guess an array")
        }
        guard let id = MastermindGameID(name), var game = games[id], game.user == user else {
            throw .notFound("this user has no such game")
        }
        guard !game.isSolved else { throw .conflict("this game is solved") }
        let guess = elements.compactMap(integer)
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
        guard let pass = passes[token], pass.end > now else {
            throw .unauthorized("access_token is expired or unknown")
        }
        return pass.user
    }

    private func object(_ body: [UInt8]) throws(SandboxProblem) -> JSONValue {
        guard let value = try? JSONValue.parsing(body), value.members != nil else {
            throw .malformed("the body is not a JSON object")
        }
        return value
    }

    private func integer(_ value: JSONValue) -> Int? { value.numberText.flatMap { Int($0) } }

    /// A random name consisting of 32 hexadecimal digits.
    private func name(using chance: inout some RandomNumberGenerator) -> String {
        let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &chance) }
        return Hexadecimal.encode(bytes).lowercased()
    }
}
