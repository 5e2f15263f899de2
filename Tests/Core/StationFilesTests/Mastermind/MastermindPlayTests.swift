import BlockingLane
import OperatingSystem
import StationFiles
import TapcardCore
import TapcardDomain
import Testing

@Suite("Mastermind at a station")
struct MastermindPlayTests {
    @Test("A game runs from login to solution, and then takes no more guesses")
    func game() async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        var kept = try await play.guess([1, 2, 4, 3])
        #expect(kept.history.turns.last?.evaluation == MastermindEvaluation(black: 2, white: 2))
        #expect(kept.solvedIn == nil)
        kept = try await play.guess([1, 2, 3, 4])
        #expect(kept.solvedIn == 2)
        #expect(try bench.play().currentGame() == kept)
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try await play.guess([1, 1, 1, 1])
        }
        #expect(error?.kind == .refusal(.wrongState) && error?.what.contains("solved") == true)
        let calls = ["login amanda", "start 4 token-1", "guess 1243 token-1", "guess 1234 token-1"]
        #expect(bench.service.asked == calls)
    }

    @Test("The games file is private to its owner and holds no password")
    func file() async throws {
        let bench = try PlayBench()
        _ = try await bench.playing()
        #expect(try DurableFile(bench.path).permissions() == 0o600)
        #expect(!(try bench.text()).contains(PlayedMastermind.passwordText))
    }

    @Test(
        "A guess that breaks the rules is not sent",
        arguments: [[1, 2, 3], [1, 2, 3, 7], [0, 1, 1, 1]])
    func badGuess(colors: [Int]) async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try await play.guess(colors)
        }
        #expect(error?.kind == .refusal(.badGuess) && error?.meaning == "Nothing was sent.")
        #expect(bench.service.asked.count == 2)
        #expect(try play.currentGame()?.history.turns == [])
    }

    @Test(
        "A game with an impossible number of slots is not requested",
        arguments: [0, -1, 13, Int.max])
    func badSize(slots: Int) async throws {
        let bench = try PlayBench()
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try await bench.play().start(slots: slots)
        }
        #expect(error?.kind == .refusal(.badGuess))
        #expect(bench.service.asked == [])
    }

    @Test("A guess needs a game, and a game needs a login")
    func nothing() async throws {
        let bench = try PlayBench()
        let play = bench.play()
        var error = await bench.refusal { () async throws(TapcardError) in
            _ = try await play.guess([1])
        }
        #expect(error?.kind == .refusal(.wrongState))
        error = await bench.refusal { () async throws(TapcardError) in
            _ = try await play.start(slots: 4)
        }
        #expect(
            error?.kind == .service(.unauthorized) && error?.what.contains("not logged in") == true)
        #expect(bench.service.asked == [])
    }

    @Test(
        "A login with an invalid user, lifetime, or password is not sent",
        arguments: [("", 60), ("a\u{1B}b", 60), ("amanda", 29), ("amanda", 3_601), ("amanda", -1)])
    func badLogin(user: String, seconds: Int) async throws {
        let bench = try PlayBench()
        let error = await bench.refusal { () async throws(TapcardError) in
            try await bench.play().logIn(as: user, password: "x", timeToLive: seconds)
        }
        #expect(error?.kind == .usage)
        let empty = await bench.refusal { () async throws(TapcardError) in
            try await bench.play().logIn(as: "amanda", password: "")
        }
        #expect(empty?.kind == .usage)
        let long = await bench.refusal { () async throws(TapcardError) in
            try await bench.play().logIn(
                as: "amanda", password: String(repeating: "ß", count: 513))
        }
        #expect(long?.kind == .usage)
        #expect(long?.what == "The password is 1026 bytes long, but only 1024 bytes are allowed.")
        #expect(bench.service.asked == [])
    }

    @Test("A password that is too long does not renew an expired login")
    func longPassword() async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        bench.passwords.withLock { $0 = [String(repeating: "x", count: 1_025)] }
        bench.service.fail(.unauthorized)
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try await play.guess([1, 1, 1, 1])
        }
        #expect(error?.kind == .usage && error?.meaning == "The guess did not count.")
        #expect(bench.service.asked.last == "guess 1111 token-1")
        #expect(try play.currentGame()?.history.turns == [])
    }

    @Test("A login with a wrong password stores nothing")
    func wrongPassword() async throws {
        let bench = try PlayBench()
        let error = await bench.refusal { () async throws(TapcardError) in
            try await bench.play().logIn(as: "amanda", password: "wrong")
        }
        #expect(error?.kind == .service(.wrongPassword))
        #expect(try bench.text() == "")
    }

    @Test("An expired login is renewed once, and the guess is sent once more")
    func expired() async throws {
        let bench = try PlayBench()
        let play = bench.play()
        try await play.logIn(
            as: "amanda", password: PlayedMastermind.passwordText, timeToLive: 60)
        _ = try await play.start(slots: 4)
        bench.passwords.withLock { $0 = [PlayedMastermind.passwordText] }
        bench.service.fail(.unauthorized)
        _ = try await play.guess([1, 1, 1, 1])
        let calls = bench.service.asked.suffix(3)
        #expect(calls == ["guess 1111 token-1", "login amanda 60", "guess 1111 token-2"])
        #expect(try play.currentGame()?.history.turns.count == 1)
        // The new token is kept for the next call.
        _ = try await play.guess([2, 2, 2, 2])
        #expect(bench.service.asked.last == "guess 2222 token-2")
    }

    @Test("A login refused a second time is given up, and the guess does not count")
    func refusedTwice() async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        bench.passwords.withLock { $0 = [PlayedMastermind.passwordText, "again"] }
        bench.service.fail(.unauthorized, nil, .unauthorized)
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try await play.guess([1, 1, 1, 1])
        }
        #expect(error?.kind == .service(.unauthorized))
        #expect(error?.meaning == "The guess did not count.")
        #expect(bench.service.asked.count == 5)
        #expect(try play.currentGame()?.history.turns == [])
    }

    @Test(
        "A guess does not count if its expired login cannot be renewed", arguments: [nil, "wrong"])
    func noPassword(password: String?) async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        bench.passwords.withLock { $0 = [password] }
        bench.service.fail(.unauthorized)
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try await play.guess([1, 1, 1, 1])
        }
        #expect(
            error?.kind == (password == nil ? .service(.unauthorized) : .service(.wrongPassword)))
        #expect(error?.meaning == "The guess did not count.")
        #expect(try play.currentGame()?.history.turns == [])
    }

    /// No password is given, so the guess can only go on with the other login.
    @Test("A guess with an expired login goes on with one that another process made meanwhile")
    func renewedElsewhere() async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        bench.service.fail(.unauthorized)
        bench.service.state.withLock {
            $0.meanwhile = {
                try? await bench.play().logIn(
                    as: "amanda", password: PlayedMastermind.passwordText)
            }
        }
        #expect(try await play.guess([1, 1, 1, 1]).history.turns.count == 1)
        #expect(
            bench.service.asked.suffix(3) == [
                "guess 1111 token-1", "login amanda", "guess 1111 token-2",
            ])
    }

    @Test("A token is never sent to a service other than the one that issued it")
    func otherService() async throws {
        let bench = try PlayBench()
        _ = try await bench.playing()
        let other = bench.play(at: "http://127.0.0.1:2")
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try await other.start(slots: 4)
        }
        #expect(error?.kind == .service(.unauthorized))
        #expect(error?.what.contains("http://127.0.0.1:1") == true)
        #expect(try other.currentGame() == nil)
        #expect(bench.service.asked.count == 2)
    }

    @Test("A guess whose answer is lost is sent once and kept as unknown", arguments: lost)
    func lostAnswer(kind: ServiceError.Kind) async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        bench.service.fail(kind)
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try await play.guess([1, 1, 1, 1])
        }
        #expect(error?.meaning.contains("The guess may or may not have counted.") == true)
        #expect(bench.service.asked.count == 3)
        let turns = try #require(try play.currentGame()).history.turns
        #expect(turns == [MastermindTurn([1, 1, 1, 1], .unknown)])
        // The service has not counted it, as its next answer says.
        let kept = try await play.guess([2, 2, 2, 2])
        #expect(kept.history.turns.map(\.guess) == [[2, 2, 2, 2]])
    }

    @Test("A guess that never reaches the game does not count", arguments: notSent)
    func notCounted(kind: ServiceError.Kind) async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        bench.service.fail(kind)
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try await play.guess([1, 1, 1, 1])
        }
        #expect(error?.meaning == "The guess did not count.")
        #expect(try play.currentGame()?.history.turns == [])
    }

    private static let notSent: [ServiceError.Kind] = [
        .offline, .certificate, .refused, .wrongPassword, .badAddress, .noClient,
    ]
    private static let lost = ServiceError.Kind.allCases.filter {
        !notSent.contains($0) && $0 != .unauthorized
    }

    @Test("A game stored on a card is resumed with what is known of it")
    func resume() async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        let first = try await play.guess([1, 1, 1, 1])
        let second = try await play.start(slots: 6)
        #expect(try play.currentGame() == second)
        #expect(try play.resume(first.game) == first)
        #expect(try play.currentGame() == first)
        let id = try #require(MastermindGameID("4492936ae8ce8a711e01c30d30f884ed"))
        let foreign = MastermindGame(id: id, slots: 4)
        #expect(try play.resume(foreign).history.turns == [])
        #expect(try play.currentGame()?.game == foreign)
    }

    @Test("The 16 games played last are kept, and an older one is resumed without its guesses")
    func manyGames() async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        let first = try await play.guess([1, 1, 1, 1])
        _ = try await play.start(slots: 4)
        let second = try await play.guess([2, 2, 2, 2])
        for _ in 3...16 { _ = try await play.start(slots: 4) }
        #expect(try play.resume(first.game) == first)
        // The seventeenth game takes the place of the one played longest ago.
        _ = try await play.start(slots: 4)
        #expect(try bench.text().ranges(of: "\"id\"").count == 16)
        #expect(try play.resume(first.game) == first)
        #expect(try play.resume(second.game).history.turns == [])
        #expect(try bench.play().currentGame()?.game == second.game)
        #expect(try bench.text().ranges(of: "\"id\"").count == 16)
    }

    @Test("A guess counts in its own game, even if another becomes current meanwhile")
    func twoGames() async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        let first = try #require(try play.currentGame()).game
        let second = try await play.start(slots: 6)
        try play.resume(first)
        bench.service.state.withLock {
            $0.meanwhile = { _ = try? bench.play().resume(second.game) }
        }
        #expect(try await play.guess([1, 1, 1, 1]).game == first)
        #expect(try play.currentGame() == second)
        #expect(try play.resume(first).history.turns.map(\.guess) == [[1, 1, 1, 1]])
    }

    @Test("Two plays that share a file lose none of each other's guesses")
    func twoTills() async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        let other = bench.play()
        await withTaskGroup(of: Void.self) { group in
            for (play, color) in [(play, 1), (other, 2)] {
                group.addTask {
                    for _ in 0..<20 {
                        _ = await bench.refusal { () async throws(TapcardError) in
                            _ = try await play.guess([color, color, color, color])
                        }
                    }
                }
            }
        }
        let turns = try #require(try play.currentGame()).history.turns
        #expect(Set(turns.compactMap(\.number)) == Set(1...40))
    }
}
