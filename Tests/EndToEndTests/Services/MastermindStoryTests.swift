import Testing

@Suite("Mastermind, with the service in a process of its own")
struct MastermindStoryTests {
    @Test("a game is played to its end, kept on a card and ranked")
    func game() throws {
        let counter = try Counter(["TAPCARD_JSON": "true"])
        try counter.step("sim put NTAG215")
        try counter.step("issue")
        let services = try PlayedServices(counter)
        try services.step("mastermind login ann")
        let game = try services.step("mastermind start --slots 1 --keep")
        let id = String(try #require(game.firstMatch(of: /"([0-9a-f]{32})"/)).output.1)
        #expect(try services.step("mastermind resume").contains(id))
        var guesses = 0
        for colour in 1...6 {
            guesses += 1
            let said = try services.step("mastermind guess \(colour)")
            #expect(said.contains("\"guesses\":\(guesses)"))
            if said.contains("\"black\":1") { break }
        }
        let ranking = try services.step("mastermind ranking")
        #expect(ranking.contains("ann"))
        try #expect(counter.text(of: "\(counter.data)/mastermind.json").contains(id))
        #expect(try !counter.text(of: "\(counter.data)/mastermind.json").contains("sandbox\""))
    }

    @Test("an expired token is renewed once; without the password it is said")
    func expired() throws {
        let counter = try Counter(["TAPCARD_JSON": "true"])
        let services = try PlayedServices(counter)
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

    @Test("a wrong password, and guesses that are none, are refused")
    func refused() throws {
        let counter = try Counter(["TAPCARD_JSON": "true"])
        let services = try PlayedServices(counter)
        let login = try services.run(
            "mastermind login ann", with: ["TAPCARD_MASTERMIND_PASSWORD": "wrong"])
        #expect(login.status == 8)
        #expect(login.output.contains("\"error\":\"service-wrong-password\""))
        try services.step("mastermind login ann")
        try services.step("mastermind start --slots 4")
        for guess in ["1 2 3", "1 2 3 4 5", "1 2 3 7", "0 1 2 3"] {
            let ended = try services.run("mastermind guess \(guess)")
            #expect(
                ended.status == 4 && ended.output.contains("\"error\":\"bad-guess\""), "\(guess)")
        }
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
        let counter = try Counter(["TAPCARD_JSON": "true"])
        let services = try PlayedServices(counter)
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
