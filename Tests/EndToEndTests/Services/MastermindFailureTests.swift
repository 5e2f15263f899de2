import Testing

@Suite("Mastermind, with a service that does not do well", .ownThread)
struct MastermindFailureTests {
    @Test("an expired token is renewed once; without the password it is said")
    func expired() throws {
        let till = try Till(["TAPCARD_JSON": "true"])
        let services = try PlayedServices(till)
        try services.step("mastermind login ann")
        try services.step("mastermind start --slots 4")
        try services.fail("mastermind:expired-token*1")
        try services.step("mastermind guess 1 1 1 1")
        try services.fail("mastermind:expired-token*1")
        let ended = try services.run(
            "mastermind guess 1 1 1 1", with: ["TAPCARD_MASTERMIND_PASSWORD": nil])
        #expect(ended.status == 8)
        #expect(ended.output.contains("\"error\":\"service-unauthorized\""), "\(ended.output)")
    }

    @Test(
        "an answer that is none says which rule it broke",
        arguments: [
            ("cut-off", "service-cut-off"), ("huge", "service-too-large"),
            ("not-json", "service-not-json"), ("wrong-shape", "service-wrong-shape"),
            ("redirect", "service-redirected"), ("400", "service-refused"),
            ("500", "service-broken"),
        ])
    func failures(failure: String, word: String) throws {
        let till = try Till(["TAPCARD_JSON": "true"])
        let services = try PlayedServices(till)
        try services.step("mastermind login ann")
        try services.fail("mastermind:\(failure)")
        for line in ["mastermind start", "mastermind ranking"] {
            let ended = try services.run(line)
            #expect(
                ended.status == 8 && ended.output.contains("\"error\":\"\(word)\""),
                "\(line): \(ended.output)")
        }
    }
}
