import ServiceSandbox
import TapcardDomain
import TestSupport
import Testing
import TextCodecs

/// The sandbox's Mastermind with a clock that the test moves.
private struct Parlour {
    var service = SandboxMastermind()
    var now = Timestamp(milliseconds: 1_619_457_982_000)
    var chance = SeededGenerator(seed: 11)

    mutating func logIn(_ body: String) throws -> String {
        try service.logIn(Array(body.utf8), now: now, using: &chance).text
    }

    mutating func token(_ user: String = "amanda", seconds: Int? = nil) throws -> String {
        let time = seconds.map { #","time-to-live":\#($0)"# } ?? ""
        let text = try logIn(#"{"user_id":"\#(user)","password":"sandbox"\#(time)}"#)
        return try #require(try JSONValue.parsing(Array(text.utf8))["access_token"]?.string)
    }

    mutating func start(_ slots: String, _ token: String?) throws -> String {
        let body = Array(#"{"slots":\#(slots)}"#.utf8)
        let answer = try service.start(body, token: token, now: now, using: &chance)
        return try #require(answer["gameId"]?.string)
    }

    mutating func guess(_ guess: String, _ game: String, _ token: String?) throws -> String {
        let body = #"{"gameId":"\#(game)","guess":\#(guess)}"#
        return try service.guess(Array(body.utf8), token: token, now: now).text
    }

    func ranking(_ token: String?) throws -> JSONValue {
        try service.ranking(token: token, icons: "http://icons", now: now)
    }

    /// Solves a game by trying each color in each place, and returns how many guesses it took.
    mutating func solve(_ game: String, slots: Int, _ token: String) throws -> Int {
        var solution = [Int](repeating: 1, count: slots)
        var count = 0
        func black(_ answer: String) throws -> Int {
            let document = try JSONValue.parsing(Array(answer.utf8))
            count = try #require(document["guessCount"]?.numberText.flatMap { Int($0) })
            return try #require(document["evaluation"]?["black"]?.numberText.flatMap { Int($0) })
        }
        var best = try black(guess("\(solution)", game, token))
        for place in 0..<slots where best < slots {
            for color in 2...6 where best < slots {
                var attempt = solution
                attempt[place] = color
                let found = try black(guess("\(attempt)", game, token))
                if found < best { break }
                if found > best { (best, solution) = (found, attempt) }
            }
        }
        #expect(best == slots)
        return count
    }
}

@Suite("The sandbox's Mastermind")
struct SandboxMastermindTests {
    @Test("A game is played to its end and takes no further guess", arguments: [1, 4, 6, 12])
    func whole(slots: Int) throws {
        var parlour = Parlour()
        let token = try parlour.token()
        #expect(try parlour.ranking(token).text == "[]")
        let game = try parlour.start("\(slots)", token)
        let guesses = try parlour.solve(game, slots: slots, token)
        let again = "\([Int](repeating: 1, count: slots))"
        #expect(throws: SandboxProblem.conflict("this game has already been solved")) {
            try parlour.guess(again, game, token)
        }
        let ranking =
            #"[{"participantId":"amanda","name":"amanda","timestamp":"2021-04-26 17:26:22","#
            + #""score":"\#(guesses)","slots":"\#(slots)","id":"\#(game)","#
            + #""icon512":"http://icons/512.svg","icon192":"http://icons/192.svg","#
            + #""icon72":"http://icons/72.svg"}]"#
        #expect(try parlour.ranking(token).text == ranking)
    }

    @Test("Secrets differ and use every color")
    func secrets() throws {
        var parlour = Parlour()
        let token = try parlour.token()
        var colors: Set<Int> = []
        for _ in 0..<60 {
            let game = try parlour.start("1", token)
            colors.insert(try parlour.solve(game, slots: 1, token))
        }
        // A single peg is found by as many guesses as its color's number.
        #expect(colors == [1, 2, 3, 4, 5, 6])
    }

    @Test("A token is valid until its time is over", arguments: [nil, 30, 3_600])
    func expiry(seconds: Int?) throws {
        var parlour = Parlour()
        let token = try parlour.token(seconds: seconds)
        let life = Int64(seconds ?? 3_600) * 1_000
        let game = try parlour.start("4", token)
        parlour.now = parlour.now.adding(milliseconds: life - 1)
        _ = try parlour.ranking(token)
        parlour.now = parlour.now.adding(milliseconds: 1)
        let problem = SandboxProblem.unauthorized(
            "access_token is expired or unknown")
        #expect(throws: problem) { try parlour.ranking(token) }
        #expect(throws: problem) { try parlour.start("4", token) }
        #expect(throws: problem) { try parlour.guess("[1,1,1,1]", game, token) }
        // The game waits for its player.
        #expect(try parlour.guess("[1,1,1,1]", game, try parlour.token()).contains("evaluation"))
    }

    @Test("A missing, unknown or expired token is refused")
    func tokens() throws {
        var parlour = Parlour()
        for token in [nil, "", "0123456789abcdef0123456789abcdef"] {
            #expect(throws: SandboxProblem.self) { try parlour.ranking(token) }
        }
        let token = try parlour.token()
        parlour.service.expire(token)
        #expect(throws: SandboxProblem.self) { try parlour.ranking(token) }
        parlour.service.expire(nil)
    }

    @Test(
        "A malformed login is refused",
        arguments: [
            "", "[]", #""amanda""#, "{", #"{"user_id":"amanda"}"#, #"{"password":"sandbox"}"#,
            #"{"user_id":"","password":"sandbox"}"#,
            #"{"user_id":7,"password":"sandbox"}"#,
            #"{"user_id":"amanda","password":"sandbox","time-to-live":29}"#,
            #"{"user_id":"amanda","password":"sandbox","time-to-live":3601}"#,
            #"{"user_id":"amanda","password":"sandbox","time-to-live":"60"}"#,
            #"{"user_id":"amanda","password":"sandbox","time-to-live":60.5}"#,
            #"{"user_id":"amanda","user_id":"eve","password":"sandbox"}"#,
        ])
    func malformedLogin(body: String) {
        var parlour = Parlour()
        let problem = #expect(throws: SandboxProblem.self) { try parlour.logIn(body) }
        #expect(problem?.status == 400)
        #expect(parlour.service.counts.tokens == 0)
    }

    @Test(
        "A malformed start is refused", arguments: ["0", "13", "-1", "4.0", #""4""#, "null", "[4]"])
    func malformedStart(slots: String) throws {
        var parlour = Parlour()
        let token = try parlour.token()
        let problem = #expect(throws: SandboxProblem.self) { try parlour.start(slots, token) }
        #expect(problem?.status == 400)
    }

    @Test(
        "A malformed guess is refused and not counted",
        arguments: [
            "[]", "[1,1,1]", "[1,1,1,1,1]", "[0,1,1,1]", "[7,1,1,1]", "[-1,1,1,1]",
            "[1.0,1,1,1]", #"["1",1,1,1]"#, "[1,1,1,null]", "1111", "null",
        ])
    func malformedGuess(guess: String) throws {
        var parlour = Parlour()
        let token = try parlour.token()
        let game = try parlour.start("4", token)
        let problem = #expect(throws: SandboxProblem.self) {
            try parlour.guess(guess, game, token)
        }
        #expect(problem?.status == 400)
        #expect(try parlour.guess("[1,1,1,1]", game, token).hasSuffix(#""guessCount":1}"#))
    }

    @Test("An unknown game, or one of another user, is not found")
    func unknownGame() throws {
        var parlour = Parlour()
        let (amanda, eve) = (try parlour.token(), try parlour.token("eve"))
        let game = try parlour.start("4", amanda)
        let problem = SandboxProblem.notFound("this user has no such game")
        for (game, token) in [
            (game, eve), ("4492936ae8ce8a711e01c30d30f884ed", amanda), ("none", amanda),
        ] {
            #expect(throws: problem) { try parlour.guess("[1,1,1,1]", game, token) }
        }
    }

    @Test("A new token or game displaces the oldest one")
    func limits() throws {
        var parlour = Parlour()
        let first = try parlour.token()
        parlour.now = parlour.now.adding(milliseconds: 1)
        for number in 1..<SandboxMastermind.maximumTokens { _ = try parlour.token("user\(number)") }
        _ = try parlour.ranking(first)
        let last = try parlour.token()
        #expect(parlour.service.counts.tokens == SandboxMastermind.maximumTokens)
        #expect(throws: SandboxProblem.self) { try parlour.ranking(first) }
        let oldest = try parlour.start("4", last)
        for _ in 1..<SandboxMastermind.maximumGames { _ = try parlour.start("4", last) }
        _ = try parlour.guess("[1,1,1,1]", oldest, last)
        let newest = try parlour.start("4", last)
        #expect(parlour.service.counts.games == SandboxMastermind.maximumGames)
        #expect(throws: SandboxProblem.self) { try parlour.guess("[1,1,1,1]", oldest, last) }
        _ = try parlour.guess("[1,1,1,1]", newest, last)
        // Those whose time is over go with the next login.
        parlour.now = parlour.now.adding(milliseconds: 3_600_000)
        _ = try parlour.token()
        #expect(parlour.service.counts.tokens == 1)
    }
}

@Suite("The sandbox's ranking")
struct RankingTests {
    private func row(_ number: Int, slots: Int, guesses: Int) throws -> SandboxRanking.Row {
        let digits = String(number, radix: 16)
        let text = String(repeating: "0", count: 32 - digits.count) + digits
        return SandboxRanking.Row(
            game: try #require(MastermindGameID(text)), user: "amanda",
            solved: Timestamp(milliseconds: Int64(number)), guesses: guesses, slots: slots)
    }

    @Test("The ranking is sorted by slots, then by guesses, then by time")
    func order() throws {
        var ranking = SandboxRanking()
        for (number, (slots, guesses)) in [(6, 9), (4, 10), (6, 7), (4, 10), (4, 3), (6, 9)]
            .enumerated()
        {
            ranking.add(try row(number, slots: slots, guesses: guesses))
        }
        #expect(
            ranking.rows.map { "\($0.slots) \($0.guesses) \($0.solved.milliseconds)" } == [
                "4 3 4", "4 10 1", "4 10 3", "6 7 2", "6 9 0", "6 9 5",
            ])
    }

    @Test("The best games of each size are kept")
    func best() throws {
        var ranking = SandboxRanking()
        ranking.add(try row(0, slots: 6, guesses: 500))
        for number in 1...SandboxRanking.maximumRows + 10 {
            ranking.add(try row(number, slots: 4, guesses: 200 - number))
        }
        #expect(ranking.rows.count == SandboxRanking.maximumRows + 1)
        #expect(ranking.rows.last?.slots == 6)
        #expect(ranking.rows.first?.guesses == 90)
        #expect(ranking.rows.dropLast().last?.guesses == 189)
        ranking.add(try row(1_000, slots: 4, guesses: 300))
        #expect(ranking.rows.dropLast().last?.guesses == 189)
    }
}
