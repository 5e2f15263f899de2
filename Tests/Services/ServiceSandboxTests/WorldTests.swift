import ServiceSandbox
import TapcardDomain
import TestSupport
import Testing
import TextCodecs

@Suite("Failures of the sandbox's services")
struct WorldTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)
    private static let code = "0b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f"

    private var world = SandboxWorld()
    private var chance = SeededGenerator(seed: 3)

    private mutating func ask(
        _ call: SandboxCall, _ question: SandboxQuestion = SandboxQuestion()
    ) -> SandboxAnswer {
        world.answer(call, question, now: WorldTests.now, using: &chance)
    }

    private mutating func activate() -> SandboxAnswer {
        var question = SandboxQuestion()
        question.code = WorldTests.code
        return ask(.version, question)
    }

    private mutating func logIn() throws -> String {
        var question = SandboxQuestion()
        question.body = Array(#"{"user_id":"amanda","password":"sandbox"}"#.utf8)
        guard case .text(let text) = ask(.login, question).body else { return "" }
        return try #require(try JSONValue.parsing(Array(text.utf8))["access_token"]?.string)
    }

    private mutating func start(_ token: String) -> SandboxAnswer {
        var question = SandboxQuestion()
        question.token = token
        question.body = Array(#"{"slots":4}"#.utf8)
        return ask(.start, question)
    }

    @Test("A failure affects as many requests as it says, of the service that it names")
    mutating func counting() throws {
        try world.switchFailure("activation:503*2")
        #expect(ask(.draws).status == 200)
        #expect(activate().status == 503)
        #expect(world.failureText == "activation:503*1")
        #expect(ask(.tickets).status == 200)
        #expect(activate().status == 503)
        #expect(world.failureText == "none")
        #expect(activate().status == 200)
    }

    @Test("A failure lasts until it is switched off or replaced")
    mutating func lasting() throws {
        try world.switchFailure("500")
        for call in SandboxCall.allCases { #expect(ask(call).status == 500) }
        try world.switchFailure("404")
        #expect(ask(.draws).status == 404)
        #expect(throws: SandboxProblem.self) { try world.switchFailure("on fire") }
        #expect(world.failureText == "404")
        try world.switchFailure("none")
        #expect(ask(.draws).status == 200)
    }

    @Test(
        "A request with a slow or cut-off answer is still carried out",
        arguments: ["slow=7*1", "cut-off*1"])
    mutating func done(failure: String) throws {
        let token = try logIn()
        try world.switchFailure(failure)
        let answer = start(token)
        #expect(world.mastermind.counts.games == 1)
        let whole = start(token)
        guard case .text(let text) = whole.body else { return }
        if failure.hasPrefix("slow") {
            #expect(answer.delay == .seconds(7))
            #expect(answer.status == 200)
        } else {
            let half = String(text.prefix(text.count / 2).prefix(11))
            guard case .cutOff(let beginning, let bytes) = answer.body else {
                Issue.record("\(answer)")
                return
            }
            #expect(beginning.hasPrefix(half) && beginning.utf8.count < bytes)
            #expect(bytes == text.utf8.count)
        }
    }

    @Test(
        "A request with any other failure is not carried out",
        arguments: [
            "huge", "huge-unannounced", "not-json", "wrong-shape", "redirect", "400", "404", "500",
            "503",
        ])
    mutating func notDone(failure: String) throws {
        let token = try logIn()
        try world.switchFailure("\(failure)*1")
        _ = start(token)
        #expect(world.mastermind.counts.games == 0)
        #expect(start(token).status == 200)
    }

    @Test("A wrong version is not remembered for its code")
    mutating func version() throws {
        for (failure, version) in [
            ("wrong-version", "6.1"), ("bad-version", "six"), ("empty-version", ""),
        ] {
            try world.switchFailure("\(failure)*1")
            #expect(
                activate().body == .text(#"{"ios":"\#(version)","android":"413506"}"#))
            #expect(activate().body == .text(#"{"ios":"6.24","android":"413506"}"#))
        }
    }

    @Test("An expired token must be replaced")
    mutating func token() throws {
        let token = try logIn()
        try world.switchFailure("expired-token*1")
        let other = try logIn()
        #expect(world.failureText == "expired-token*1")
        #expect(start(token).status == 401)
        #expect(world.failureText == "none")
        #expect(start(token).status == 401)
        #expect(start(other).status == 200)
    }

    @Test("A spoiled list is sent even to a client that already has the list")
    mutating func conditions() throws {
        var question = SandboxQuestion()
        question.knownTag = ask(.draws).headers["ETag"]
        for (failure, row) in [
            ("bad-balls", #""number1":"60","number2":"40""#),
            ("duplicate-balls", #""number1":"7","number2":"7""#),
            ("bad-date", #""drawDate":"2023-02-30","number1":"7","number2":"40""#),
        ] {
            try world.switchFailure("\(failure)*1")
            let wrong = ask(.draws, question)
            #expect(wrong.status == 200)
            guard case .text(let text) = wrong.body else {
                Issue.record("\(wrong)")
                continue
            }
            #expect(text.contains(row), "\(failure)")
            #expect(ask(.draws, question).status == 304)
        }
        try world.switchFailure("cut-off*1")
        #expect(ask(.draws, question).status == 200)
        #expect(ask(.draws, question).status == 304)
    }

    @Test("Requests are counted by answer, and codes are listed in order")
    mutating func log() throws {
        let token = try logIn()
        _ = start(token)
        _ = start("none")
        _ = activate()
        var other = SandboxQuestion()
        other.code = "1B9F1F6E-5A3C-4D2E-9F10-1A2B3C4D5E6F"
        _ = ask(.version, other)
        _ = ask(.version)
        try world.switchFailure("500*1")
        _ = activate()
        let codes =
            "\"\(WorldTests.code)\",\"1b9f1f6e-5a3c-4d2e-9f10-1a2b3c4d5e6f\","
            + "\"\(WorldTests.code)\""
        #expect(
            world.document.text
                == #"{"failure":"none","version":"6.24","draws":4,"games":1,"requests":["#
                + #"{"request":"GET /activation/version","count":4,"#
                + #""answers":{"200":2,"400":1,"500":1}},"#
                + #"{"request":"POST /mastermind/api/v2/logik/start","count":2,"#
                + #""answers":{"200":1,"401":1}},"#
                + #"{"request":"POST /mastermind/api/v2/login","count":1,"answers":{"200":1}}],"#
                + #""codes":[\#(codes)]}"#)
        #expect(world.log.requestCount == 7)
    }

    @Test("Random input begins no game, and only lists are answered without an error")
    mutating func anything() throws {
        let token = try logIn()
        let words = [
            "{", "}", "[", "]", ",", ":", "\"user_id\"", "\"password\"", "\"sandbox\"",
            "\"gameId\"",
            "\"guess\"", "\"time-to-live\"", "9223372036854775808", "-1", "1e9", "\u{0}",
            "\u{FEFF}",
            "null", "\\u", "\"",
        ]
        for _ in 0..<3_000 {
            let count = Int.random(in: 0...12, using: &chance)
            var text = ""
            for _ in 0..<count { text += words.randomElement(using: &chance) ?? "" }
            var question = SandboxQuestion()
            (question.code, question.body) = (text, Array(text.utf8))
            question.token = Bool.random(using: &chance) ? token : text
            question.knownTag = text
            let call = SandboxCall.allCases.randomElement(using: &chance) ?? .version
            let answer = ask(call, question)
            let isList = [.draws, .tickets, .ranking].contains(call)
            #expect(isList || answer.status >= 400, "\(call) \(text)")
            #expect(SandboxSwitch(text) == nil)
        }
        #expect(world.mastermind.counts == (1, 0))
    }

    @Test("Only the latest codes are kept")
    mutating func manyCodes() throws {
        var log = SandboxLog()
        for number in 0...SandboxLog.maximumCodes {
            let digits = String(1_000_000 + number)
            log.arrived("GET", code: "00000000-0000-4000-8000-00000\(digits)")
        }
        let codes = try #require(log.members.first { $0.key == "codes" }?.value.array)
        #expect(codes.count == SandboxLog.maximumCodes)
        #expect(codes.first == "00000000-0000-4000-8000-000001000001")
        #expect(log.requestCount == SandboxLog.maximumCodes + 1)
    }
}
