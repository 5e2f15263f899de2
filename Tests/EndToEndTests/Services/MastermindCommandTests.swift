import Glibc
import TestSupport
import Testing

@Suite("Mastermind commands", .ownThread)
struct MastermindCommandTests {
    @Test("Each guess prints the whole board, and a new game shows how to guess")
    func board() throws {
        let bench = try MastermindBench()
        try bench.step("mastermind login amanda")
        let started = try bench.step("mastermind start --slots 8")
        let id = try #require(started.firstMatch(of: /Game ([0-9a-f]{32})\n/)).output.1
        #expect(
            started.hasSuffix(
                "\nTo make a guess, run, for example: tapcard mastermind guess 12345612\n"))
        let answer = #/^\d black, \d white\n/#
        let first = try bench.step("mastermind guess 11112222")
        let second = try bench.step("mastermind guess 33334444")
        let black = try #require(second.firstMatch(of: answer)).output
        let rows = try #require(first.firstMatch(of: answer)).output
        #expect(
            second == "\(black)   1  1 1 1 1 2 2 2 2  \(rows)   2  3 3 3 3 4 4 4 4  \(black)"
                + "Game \(id)\n")
        #expect(
            try bench.step("mastermind ranking --slots 12")
                == "Nobody has solved a game with 12 slots yet\n")
    }

    @Test("A game can be kept on a card and resumed from it")
    func card() throws {
        let bench = try MastermindBench()
        try bench.step("demo")
        try bench.step("mastermind login amanda")
        let nothing = try bench.run("mastermind resume")
        #expect(nothing.status == 4)
        #expect(nothing.errors.contains("The card on the reader has no game."))
        let started = try bench.step("mastermind start --slots 4 --keep")
        #expect(started.contains("Game stored on card 04AC6B72BA6C80; to continue"))
        try bench.step("mastermind guess 12 3 4")
        try bench.step("mastermind start --slots 6")
        let resumed = try bench.step("mastermind resume")
        #expect(resumed.contains("1 guess so far"))
        #expect(resumed.hasSuffix("Card 04AC6B72BA6C80\n"))
        #expect(try bench.step("read").contains("Mastermind game "))
        // Without a card the game is started all the same, and that is said.
        try bench.step("sim take")
        let without = try bench.run("mastermind start --keep --timeout 0")
        #expect(without.status == 3)
        #expect(without.errors.contains("it could not be stored on the card."))
    }

    @Test("Refused logins and guesses say what happened")
    func refusals() throws {
        let bench = try MastermindBench()
        func refused(_ line: String, _ status: Int32, _ text: String) throws {
            let ended = try bench.run(line)
            #expect(ended.status == status && ended.errors.contains(text), "\(line): \(ended)")
        }
        try refused("mastermind ranking", 8, "You are not logged in.")
        try refused("mastermind login amanda --time-to-live 29", 2, "cannot last 29 s")
        try refused(
            "mastermind login amanda --time-to-live x", 2,
            "The value for --time-to-live must be a whole number, not \"x\". Nothing was sent.")
        let unasked = try bench.run("mastermind login amanda", password: nil)
        #expect(unasked.status == 2)
        #expect(unasked.errors.contains("No password was given, and there is no terminal"))
        let wrong = try bench.run("mastermind login amanda --verbose", password: "sesame")
        #expect(wrong.status == 8 && !wrong.errors.contains("sesame"))
        try bench.step("mastermind login amanda")
        try bench.step("mastermind start --slots 4")
        try refused("mastermind guess 1x34", 2, "Colors must be written as digits, not")
        try refused("mastermind guess -1", 2, "Colors must be written as digits, not")
        for (word, text) in [
            ("cut-off*1", "The guess may or may not have counted."),
            ("not-json*1", "The guess may or may not have counted."),
            ("redirect*1", "The guess may or may not have counted."),
            ("404*1", "The guess did not count."),
        ] {
            try bench.services.fail(word)
            try refused("mastermind guess 1111", 8, text)
        }
    }

    @Test("A password that is not UTF-8 is refused and never sent")
    func malformedPassword() throws {
        let bench = try MastermindBench()
        let program = try Executable.path()
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c",
                "TAPCARD_MASTERMIND_PASSWORD=$(printf 'sand\\377box') exec \"$0\" "
                    + "mastermind login amanda",
                program,
            ],
            environment: [
                "HOME": bench.till.home,
                "TAPCARD_MASTERMIND_URL": "\(bench.services.address)/mastermind/api/v2",
            ], folder: bench.till.home)
        let ended = try process.end()
        #expect(ended.status == 2)
        #expect(
            ended.errors
                == "tapcard: The variable TAPCARD_MASTERMIND_PASSWORD is not valid UTF-8. Nothing "
                + "was done. Set it again, or unset it.\n")
        #expect(try bench.services.curl("/sandbox").contains("\"requests\":[]"))
    }

    @Test("An expired token is renewed with the password and reported without it")
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
}
