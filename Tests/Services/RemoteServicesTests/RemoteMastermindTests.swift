import RemoteServices
import TapcardDomain
import Testing

@Suite("Mastermind over HTTP")
struct RemoteMastermindTests {
    private func service(_ transport: ScriptedTransport) throws -> RemoteMastermind {
        RemoteMastermind(
            try ServiceAddress("http://game.example/api/v2"), through: transport,
            in: transport.dependencies)
    }

    private let token = MastermindToken("secret-token")

    private func call(_ name: String, _ service: RemoteMastermind) async throws(ServiceError) {
        guard let token, let game = MastermindGameID("4492936ae8ce8a711e01c30d30f884ed") else {
            return
        }
        switch name {
        case "start": _ = try await service.start(slots: 6, with: token)
        case "guess": _ = try await service.guess([1, 5, 2, 5, 6, 1], in: game, with: token)
        case "ranking": _ = try await service.ranking(with: token)
        default: _ = try await service.logIn(user: "amanda", password: "pass", timeToLive: nil)
        }
    }

    @Test("A login sends the name and password and returns the token")
    func logIn() async throws {
        let transport = ScriptedTransport(.ok(try AnswerFixture.login.bytes))
        let service = try service(transport)
        let token = try await service.logIn(
            user: "amanda", password: "p\"a\\s\ns\u{E9}", timeToLive: 3_600)
        #expect(token.secret == "0123456789abcdef0123456789abcdef")
        _ = try await service.logIn(user: "amanda", password: "pass", timeToLive: nil)
        #expect(
            transport.requests == [
                post(
                    "/login", #"{"user_id":"amanda","password":"p\"a\\s\nsé","time-to-live":3600}"#,
                    []),
                post("/login", #"{"user_id":"amanda","password":"pass"}"#, []),
            ])
    }

    @Test("A game is started, a guess is evaluated and the ranking is read")
    func play() async throws {
        let header = try #require(HTTPHeader("access_token", "secret-token"))
        let token = try #require(token)
        let transport = ScriptedTransport(
            .ok(try AnswerFixture.start.bytes), .ok(try AnswerFixture.guess.bytes),
            .ok(try AnswerFixture.ranking.bytes))
        let service = try service(transport)
        let game = try await service.start(slots: 6, with: token)
        #expect(game.text == "4492936ae8ce8a711e01c30d30f884ed")
        let answer = try await service.guess([1, 5, 2, 5, 6, 1], in: game, with: token)
        #expect(
            answer
                == MastermindAnswer(
                    MastermindEvaluation(black: 6, white: 0), guessCount: 27, slots: 6))
        let ranking = try await service.ranking(with: token)
        #expect(
            ranking == [
                MastermindRank(
                    id: "12", participant: "7", name: "Amanda", time: "2021-04-26 17:26:22",
                    score: 10, slots: 4,
                    icons: [512, 192, 72].map { "https://icons.example/7/\($0).png" }),
                MastermindRank(
                    id: "13", participant: "8", name: "Zo\u{EB}", time: "2021-04-27 08:00:00",
                    score: 27, slots: 6, icons: []),
            ])
        #expect(
            transport.requests == [
                post("/logik/start", #"{"slots":6}"#, [header]),
                post(
                    "/logik/guess",
                    #"{"gameId":"4492936ae8ce8a711e01c30d30f884ed","guess":[1,5,2,5,6,1]}"#,
                    [header]),
                HTTPRequest(.get, "http://game.example/api/v2/logik/ranking", headers: [header]),
            ])
    }

    private func post(_ path: String, _ body: String, _ headers: [HTTPHeader]) -> HTTPRequest {
        HTTPRequest(
            .post(body: Array(body.utf8)), "http://game.example/api/v2\(path)", headers: headers)
    }

    @Test(
        "A refused token is unauthorized, and a refused login is a wrong password",
        arguments: ["login", "start", "guess", "ranking"], [401, 403])
    func unauthorized(_ name: String, _ status: Int) async throws {
        let transport = ScriptedTransport(.status(status))
        let service = try service(transport)
        let failure = await #expect(throws: ServiceError.self) { try await call(name, service) }
        #expect(failure?.kind == (name == "login" ? .wrongPassword : .unauthorized))
        #expect(failure?.detail.contains("secret-token") == false)
        #expect(failure?.detail.contains("pass\"") == false)
        #expect(transport.requests.count == 1)
    }

    @Test(
        "A request that changes something is sent once, and the ranking is retried",
        arguments: [("login", 1), ("start", 1), ("guess", 1), ("ranking", 3)])
    func once(_ name: String, _ times: Int) async throws {
        for reply in [
            ScriptedTransport.Reply.failure(.cutOff), .failure(.offline), .status(503),
        ] {
            let transport = ScriptedTransport(reply)
            let service = try service(transport)
            let failure = await #expect(throws: ServiceError.self) { try await call(name, service) }
            #expect(failure?.isTemporary == true)
            #expect(transport.requests.count == times)
        }
    }

    @Test(
        "An impossible answer is refused without a retry",
        arguments: [
            (.login, "access_token", "token", .wrongShape),
            (.login, #""0123456789abcdef0123456789abcdef""#, "7", .wrongShape),
            (.login, "0123456789abcdef0123456789abcdef", "", .wrongShape),
            (.login, "0123456789abcdef0123456789abcdef", #"a\r\nHost: b"#, .wrongShape),
            (.login, "0123456789abcdef0123456789abcdef", "a b", .wrongShape),
            (.start, "4492936ae8ce8a711e01c30d30f884ed", "4492936", .wrongShape),
            (.start, "gameId", "gameid", .wrongShape),
            (.start, #"{"gameId"#, #"["gameId"#, .notJSON),
            (.guess, #""black":6"#, #""black":-1"#, .wrongShape),
            (.guess, #""black":6"#, #""black":5.5"#, .wrongShape),
            (.guess, #""black":6,"white":0"#, #""black":4,"white":3"#, .wrongShape),
            (.guess, #""black":6,"#, "", .wrongShape),
            (.guess, #"{"black":6,"white":0}"#, "6", .wrongShape),
            (.guess, "27", "0", .wrongShape),
            (.guess, "27", "99999999", .wrongShape),
            (.guess, #","guessCount":27"#, "", .wrongShape),
            (.ranking, #""participantId":"7","#, "", .wrongShape),
            (.ranking, #""name":"Amanda""#, #""name":7"#, .wrongShape),
            (.ranking, "2021-04-26 17:26:22", "2021-02-30 17:26:22", .badDate),
            (.ranking, #""score":"10""#, #""score":"ten""#, .wrongShape),
            (.ranking, #""score":"10""#, #""score":-1"#, .wrongShape),
            (.ranking, #""slots":"4""#, #""slots":"0""#, .wrongShape),
            (.ranking, #""slots":"4""#, #""slots":"13""#, .wrongShape),
            (.ranking, #""icon72":"https://icons.example/7/72.png""#, #""icon72":72"#, .wrongShape),
        ] as [(AnswerFixture, String, String, ServiceError.Kind)])
    func wrong(
        _ fixture: AnswerFixture, _ old: String, _ new: String, _ kind: ServiceError.Kind
    ) async throws {
        let transport = ScriptedTransport(.ok(try fixture.replacing(old, by: new)))
        let service = try service(transport)
        let failure = await #expect(throws: ServiceError.self) {
            try await call("\(fixture)", service)
        }
        #expect(failure?.kind == kind, "\(failure?.detail ?? "")")
        #expect(transport.requests.count == 1)
    }

    @Test("Misleading characters in a name are replaced, and icons may be null")
    func hostileNames() throws {
        let name = #"\u001b[31mA\u202e\n"#
        let text = String(
            decoding: try AnswerFixture.ranking.replacing("Amanda", by: name), as: UTF8.self
        )
        .replacing(#""icon72":"https://icons.example/7/72.png""#, with: #""icon72":null"#)
        let rank = try #require(try MastermindParsing.ranking(Array(text.utf8)).first)
        #expect(rank.name == "\u{FFFD}[31mA\u{FFFD}\u{FFFD}")
        #expect(rank.icons.count == 2)
    }

    @Test("An answer may have fewer slots and quoted numbers")
    func quoted() throws {
        let text = #"{"evaluation":{"black":"1","white":"3"},"guessCount":"2"}"#
        let answer = try MastermindParsing.guess(Array(text.utf8), slots: 4)
        #expect(
            answer
                == MastermindAnswer(
                    MastermindEvaluation(black: 1, white: 3), guessCount: 2, slots: 4))
    }
}
