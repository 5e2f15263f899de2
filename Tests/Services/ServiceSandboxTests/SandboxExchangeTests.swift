import ServiceSandbox
import TestSupport
import Testing
import TextCodecs

@Suite("The sandbox's services on the line", .timeLimit(.minutes(1)))
struct SandboxExchangeTests {
    private static let draws = "/lottery/StubLottoResultsData.json"
    private static let tickets = "/lottery/StubMyTicketsData.json"

    @Test("The lottery answers with the tags that a cache needs")
    func lottery() async throws {
        try await SandboxBench.with { bench in
            for (path, key) in [
                (SandboxExchangeTests.draws, "draws"), (SandboxExchangeTests.tickets, "tickets"),
            ] {
                let answer = try await bench.get(path)
                #expect(answer.status == 200)
                #expect(answer.headers["content-type"] == "application/json")
                #expect(answer.text.hasPrefix(#"{"\#(key)":[{"id":""#))
                let tag = try #require(answer.headers["etag"])
                let again = try await bench.get(path, ["If-None-Match": tag])
                #expect(again.status == 304)
                #expect(again.bodyBytes == 0)
                #expect(again.headers["etag"] == tag)
                let head = try await bench.ask("HEAD", path)
                #expect(head.status == 200)
                #expect(head.bodyBytes == 0)
                #expect(head.headers["etag"] == tag)
            }
        }
    }

    @Test("A draw is made on request and appended to the list")
    func draw() async throws {
        try await SandboxBench.with { bench in
            let before = try await bench.get(SandboxExchangeTests.draws)
            let drawn = try await bench.ask("POST", "/sandbox/draw")
            #expect(drawn.status == 200)
            #expect(drawn.text.hasPrefix(#"{"id":"draw-5","drawDate":"2023-06-12","number1":""#))
            let after = try await bench.get(
                SandboxExchangeTests.draws, ["If-None-Match": before.headers["etag"] ?? ""])
            #expect(after.status == 200)
            #expect(after.text == "\(before.text.dropLast(2)),\(drawn.text)]}")
        }
    }

    @Test("A game of Mastermind is played from login to ranking")
    func mastermind() async throws {
        try await SandboxBench.with { bench in
            let login = try await bench.mastermind(
                "POST", "login",
                #"{"user_id":"amanda","password":"sandbox","time-to-live":30}"#)
            #expect(login.status == 200)
            #expect(login.text.wholeMatch(of: /\{"access_token":"[0-9a-f]{32}"\}/) != nil)
            let token = try await bench.token()
            let start = try await bench.mastermind(
                "POST", "logik/start", #"{"slots":1}"#, token: token)
            let game = try #require(start.text.wholeMatch(of: /\{"gameId":"([0-9a-f]{32})"\}/))
            var (guesses, last) = (0, "")
            while !last.contains(#""black":1"#), guesses < 6 {
                guesses += 1
                last = try await bench.mastermind(
                    "POST", "logik/guess", #"{"gameId":"\#(game.output.1)","guess":[\#(guesses)]}"#,
                    token: token
                ).text
                let black = last.contains(#""black":1"#) ? 1 : 0
                #expect(
                    last
                        == #"{"evaluation":{"black":\#(black),"white":0},"guessCount":\#(guesses)}"#
                )
            }
            let ranking = try await bench.mastermind("GET", "logik/ranking", "", token: token)
            let icons = "\(bench.sandbox.address)/mastermind/icons"
            #expect(
                ranking.text
                    == #"[{"participantId":"amanda","name":"amanda","#
                    + #""timestamp":"2023-11-14 22:13:20","score":"\#(guesses)","slots":"1","#
                    + #""id":"\#(game.output.1)","icon512":"\#(icons)/512.svg","#
                    + #""icon192":"\#(icons)/192.svg","icon72":"\#(icons)/72.svg"}]"#)
        }
    }

    @Test("Mastermind refuses wrong logins, tokens, games and bodies with their status")
    func refusals() async throws {
        try await SandboxBench.with { bench in
            let wrong = try await bench.mastermind(
                "POST", "login", #"{"user_id":"amanda","password":"open sesame"}"#)
            #expect(wrong.status == 401)
            let token = try await bench.token()
            let unknown = #"{"gameId":"4492936ae8ce8a711e01c30d30f884ed","guess":[1]}"#
            for (status, call, body, token) in [
                (400, "login", "{", nil), (400, "logik/start", "{}", token),
                (400, "logik/guess", #"{"guess":[1]}"#, token),
                (404, "logik/guess", unknown, token),
                (401, "logik/start", #"{"slots":4}"#, nil),
                (401, "logik/guess", unknown, "none"),
            ] as [(Int, String, String, String?)] {
                let answer = try await bench.mastermind("POST", call, body, token: token)
                #expect(answer.status == status, "\(call) \(body)")
                #expect(answer.text.hasPrefix(#"{"error":""#))
            }
        }
    }

    @Test("Unknown paths and methods are refused")
    func unknown() async throws {
        try await SandboxBench.with { bench in
            for path in ["/", "/activation", "/activation/versions", "/lottery/", "/sandbox/"] {
                #expect(try await bench.get(path).status == 404, "\(path)")
            }
            for call in SandboxCall.allCases {
                let answer = try await bench.ask("DELETE", call.path)
                #expect(answer.status == 405)
                #expect(answer.headers["allow"]?.contains(call.method) == true)
            }
        }
    }

    @Test("The sandbox lists its requests, and its version and failure can be set")
    func control() async throws {
        try await SandboxBench.with { bench in
            #expect(try await bench.get("/sandbox/failure").text == #"{"failure":"none"}"#)
            _ = try await bench.activate()
            let version = try await bench.ask("PUT", "/sandbox/version", body: "6.1.1\n")
            #expect(version.text == #"{"version":"6.1.1"}"#)
            _ = try await bench.activate()
            let long = String(repeating: "6", count: 65)
            #expect(try await bench.ask("PUT", "/sandbox/version", body: long).status == 400)
            let bad = try await bench.ask("PUT", "/sandbox/failure", body: "on fire")
            #expect(bad.status == 400)
            #expect(bad.text.contains("on fire") && bad.text.contains("cut-off"))
            try await bench.switchFailure("lottery:503*2")
            _ = try await bench.get(SandboxExchangeTests.draws)
            #expect(
                try await bench.get("/sandbox").text.hasPrefix(
                    #"{"failure":"lottery:503*1","version":"6.1.1","draws":4,"games":0,"#))
            try await bench.switchFailure("none")
            #expect(bench.sandbox.requestCount == 3)
        }
    }
}
