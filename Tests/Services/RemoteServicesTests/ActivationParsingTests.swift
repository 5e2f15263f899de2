import RemoteServices
import TapcardDomain
import Testing

@Suite("Answers of the activation service")
struct ActivationParsingTests {
    private func answer(_ text: String) throws(ServiceError) -> ActivationAnswer {
        try ActivationParsing.answer(Array(text.utf8))
    }

    @Test("The documented answer activates a code")
    func documented() throws {
        #expect(try ActivationParsing.answer(try AnswerFixture.activation.bytes) == .active)
        #expect(try answer(#"{"ios":"6.24"}"#) == .active)
    }

    @Test(
        "Versions above 6.1 activate, as text or as a number",
        arguments: ["6.1.1", "6.10", "7"])
    func above(_ version: String) throws {
        #expect(try answer(#"{"ios":"\#(version)","android":"413506"}"#) == .active)
        guard version.split(separator: ".").count < 3 else { return }
        #expect(try answer(#"{"ios":\#(version)}"#) == .active)
    }

    @Test("Version 6.1 is refused, and the refusal names it")
    func below() throws {
        #expect(try answer(#"{"ios":"6.1"}"#) == .refused(version: "6.1"))
    }

    @Test(
        "A malformed answer is refused with the reason",
        arguments: [
            ("", .notJSON, "is not JSON"),
            ("<html><body>Sign in</body></html>", .notJSON, "an HTML page"),
            ("ok", .notJSON, "is not JSON"),
            (#"{"ios":"6.24""#, .notJSON, "the end of the text"),
            (#"{"ios":"6.24"} {}"#, .notJSON, "extra text after the value"),
            (#"{"ios":"6.24","ios":"5"}"#, .notJSON, "a member name used twice"),
            (#"{"ios":06.24}"#, .notJSON, "a leading zero"),
            ("[]", .wrongShape, "the response is not an object"),
            (#""6.24""#, .wrongShape, "the response is not an object"),
            ("null", .wrongShape, "the response is not an object"),
            ("{}", .wrongShape, "the response has no member \"ios\""),
            (#"{"android":"6.24"}"#, .wrongShape, "has no member \"ios\""),
            (#"{"iOS":"6.24"}"#, .wrongShape, "has no member \"ios\""),
            (#"{"ios":null}"#, .wrongShape, "has no member \"ios\""),
            (#"{"ios":true}"#, .wrongShape, "is neither a number nor a string"),
            (#"{"ios":{"major":6}}"#, .wrongShape, "is neither a number nor a string"),
            (#"{"ios":["6.24"]}"#, .wrongShape, "is neither a number nor a string"),
            (#"{"ios":""}"#, .emptyVersion, "is empty"),
            (#"{"ios":"six"}"#, .badVersion, "is \"six\", not a version"),
            (#"{"ios":-7}"#, .badVersion, "not a version"),
            (#"{"ios":7e0}"#, .badVersion, "is \"7e0\", not a version"),
        ] as [(String, ServiceError.Kind, String)])
    func wrong(_ text: String, _ kind: ServiceError.Kind, _ words: String) {
        let failure = #expect(throws: ServiceError.self) { try answer(text) }
        #expect(failure?.kind == kind)
        #expect(failure?.detail.contains(words) == true, "\(failure?.detail ?? "")")
    }

    @Test("The error for a hostile version is short and has no misleading characters")
    func shown() {
        for text in [
            #"{"ios":"\u001b[2J\u202e"}"#, "{\"ios\":\"\(String(repeating: "9", count: 999))\"}",
        ] {
            let failure = #expect(throws: ServiceError.self) { try answer(text) }
            #expect(failure?.kind == .badVersion)
            #expect(failure?.detail.unicodeScalars.contains { $0.isMisleading } == false)
            #expect((failure?.detail.utf8.count ?? 0) < 200)
        }
    }

    @Test("The request carries the code, and a truncated answer is never accepted")
    func request() async throws {
        let transport = ScriptedTransport(.ok(try AnswerFixture.activation.bytes))
        let service = RemoteActivation(
            try ServiceAddress("https://api.example/"), through: transport,
            in: transport.dependencies)
        let code = try #require(ScratchCode("0B9F6F1C-6F0E-4A0C-9D52-6A4F0E1B7A11"))
        #expect(try await service.activate(code) == .active)
        #expect(
            transport.requests == [
                HTTPRequest(
                    .get, "https://api.example/version?code=0b9f6f1c-6f0e-4a0c-9d52-6a4f0e1b7a11")
            ])
        let bytes = try AnswerFixture.activation.bytes.dropLast()
        for end in bytes.indices {
            #expect(throws: ServiceError.self) {
                try ActivationParsing.answer(Array(bytes[..<end]))
            }
        }
    }
}
