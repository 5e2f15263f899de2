import Testing
import TextCodecs

@Suite("Looking at the current game of Mastermind")
struct MastermindShowTests {
    private static let game = "0123456789abcdef0123456789abcdef"

    private func bench(_ guesses: String) throws -> ProgramBench {
        let bench = try ProgramBench()
        try bench.write(
            #"{"format":"tapcard mastermind 1","login":null,"current":"\#(Self.game)","games":["#
                + #"{"address":"http://127.0.0.1:9","id":"\#(Self.game)","slots":4,"#
                + #""guesses":[\#(guesses)]}]}"#, to: "mastermind.json", mode: 0o600)
        return bench
    }

    private let here = ["TAPCARD_MASTERMIND_URL": "http://127.0.0.1:9"]

    @Test("shows every guess, also one whose answer nobody knows")
    func turns() async throws {
        let bench = try bench("[[1,1,2,2],1,1,0],[[3,3,4,4],null,null,null],[[1,2,3,5],2,4,0]")
        #expect(
            await bench.run("mastermind show", here).text == """
                Game \(Self.game), 4 slots
                   1  1 1 2 2  1 black, 0 white
                   ?  3 3 4 4  its answer is not known
                   2  1 2 3 5  4 black, 0 white
                Solved with 2 guesses

                """)
        #expect(
            await bench.run("mastermind show --json", here).text
                == #"{"result":"done","user":null,"game":"\#(Self.game)","slots":4,"guesses":2,"#
                + #""solved":true,"colours":6,"turns":[{"guess":[1,1,2,2],"number":1,"black":1,"white":0},"#
                + #"{"guess":[3,3,4,4],"number":null,"black":null,"white":null},"#
                + #"{"guess":[1,2,3,5],"number":2,"black":4,"white":0}]}"# + "\n")
    }

    @Test("where there is none, that is what it shows; another service's game is none")
    func none() async throws {
        let document = #"{"result":"done","user":null,"game":null}"# + "\n"
        #expect(try await ProgramBench().run("mastermind show --json").text == document)
        let other = try bench("[[1,1,2,2],1,1,0]")
        #expect(await other.run("mastermind show --json").text == document)
        #expect(
            try await ProgramBench().run("mastermind show").text
                == "There is no game; tapcard mastermind start begins one\n")
    }
}
