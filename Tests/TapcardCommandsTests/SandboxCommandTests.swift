import Testing

@Suite("The command that stands in for the services")
struct SandboxCommandTests {
    @Test("says where they are, and how to end them")
    func people() async throws {
        let ended = try await ProgramBench().run("sandbox")
        #expect(ended.status == 0)
        #expect(
            ended.text == """
                The sandbox answers at http://127.0.0.1:40231
                export TAPCARD_READER=sim
                export TAPCARD_ACTIVATION_URL=http://127.0.0.1:40231/activation
                export TAPCARD_LOTTERY_URL=http://127.0.0.1:40231/lottery
                export TAPCARD_MASTERMIND_URL=http://127.0.0.1:40231/mastermind/api/v2
                Mastermind's password, whoever logs in: sandbox
                What is to go wrong: curl -X PUT -d cut-off http://127.0.0.1:40231/sandbox/failure
                Ctrl-C ends it
                The sandbox is gone. Requests it had: 3

                """)
    }

    @Test("is one document for programs")
    func programs() async throws {
        let ended = try await ProgramBench().run("sandbox --json")
        #expect(ended.status == 0)
        #expect(
            ended.text
                == #"{"result":"done","activation":"http://127.0.0.1:40231/activation","#
                + #""lottery":"http://127.0.0.1:40231/lottery","#
                + #""mastermind":"http://127.0.0.1:40231/mastermind/api/v2","#
                + #""control":"http://127.0.0.1:40231/sandbox","password":"sandbox"}"# + "\n")
    }

    @Test(
        "refuses numbers that are none",
        arguments: [
            ("port", "65536", "0 to 65535"), ("port", "http", "0 to 65535"),
            ("port", "99999999999999999999", "0 to 65535"), ("draw-every", "0", "1 to 86400"),
            ("draw-every", "1.5", "1 to 86400"), ("draw-every", "86401", "1 to 86400"),
            ("max-age", "-1", "0 to 31536000"), ("max-age", "31536001", "0 to 31536000"),
        ])
    func numbers(option: String, text: String, range: String) async throws {
        let ended = try await ProgramBench().run("sandbox --\(option)=\(text)")
        #expect(ended.status == 2)
        #expect(
            ended.text == """
                ! tapcard: --\(option) cannot be "\(text)": write a whole number, \(range). \
                Nothing is played.

                """)
    }

    @Test("refuses half a certificate")
    func refusals() async throws {
        for (line, words) in [
            ("--tls-key key.pem", "A certificate needs its key, and a key its certificate."),
            ("--tls-certificate a.pem", "A certificate needs its key, and a key its certificate."),
        ] {
            let ended = try await ProgramBench().run("sandbox \(line)")
            #expect(ended.status == 2, "\(line)")
            #expect(ended.text.hasPrefix("! tapcard: \(words) Nothing is played. "), "\(line)")
        }
    }
}
