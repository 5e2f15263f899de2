import IdleDrivers
import TapcardDomain
import Testing
import TextCodecs
import Verbs

@Suite("Mastermind output on the command line")
struct MastermindOutputTests {
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

    @Test("The current game is shown with every guess, even one whose answer is unknown")
    func turns() async throws {
        let bench = try bench("[[1,1,2,2],1,1,0],[[3,3,4,4],null,null,null],[[1,2,3,5],2,4,0]")
        #expect(
            await bench.run("mastermind show", here).text == """
                Game \(Self.game), 4 slots
                   1  1 1 2 2  1 black, 0 white
                   ?  3 3 4 4  lost; may have counted
                   2  1 2 3 5  4 black, 0 white
                Solved in 2 guesses

                """)
        #expect(
            await bench.run("mastermind show --json", here).text
                == #"{"result":"done","user":null,"game":"\#(Self.game)","slots":4,"guesses":2,"#
                + #""solved":true,"colors":6,"turns":[{"guess":[1,1,2,2],"number":1,"black":1,"white":0},"#
                + #"{"guess":[3,3,4,4],"number":null,"black":null,"white":null},"#
                + #"{"guess":[1,2,3,5],"number":2,"black":4,"white":0}]}"# + "\n")
    }

    /// Accepts every login and returns this ranking.
    private struct Parlour: MastermindService {
        static let unasked = ServiceError(.refused, "this service only has a ranking")
        let rows: [(name: String, score: Int)]

        func logIn(
            user: String, password: String, timeToLive: Int?
        ) throws(ServiceError) -> MastermindToken {
            guard let token = MastermindToken("token") else { throw Parlour.unasked }
            return token
        }

        func start(
            slots: Int, with token: MastermindToken
        ) throws(ServiceError) -> MastermindGameID { throw Parlour.unasked }

        func guess(
            _ colors: [Int], in game: MastermindGameID, with token: MastermindToken
        ) throws(ServiceError) -> MastermindAnswer { throw Parlour.unasked }

        func ranking(with token: MastermindToken) -> [MastermindRank] {
            rows.map { row in
                MastermindRank(
                    id: row.name, participant: row.name, name: row.name,
                    time: "2026-11-22 10:00:00", score: row.score, slots: 4, icons: [])
            }
        }
    }

    @Test("The ranking puts the fewest guesses first and aligns names of any width")
    func columns() async throws {
        let parlour = Parlour(rows: [
            ("日本語", 5), ("한글 x", 13), ("amanda", 1), ("👨‍👩‍👧", 12), ("José", 10), ("e\u{301}", 11),
        ])
        let bench = try ProgramBench(
            services: Services(
                activation: NoServices(), lottery: NoServices(), mastermind: parlour))
        let login = await bench.run(
            "mastermind login amanda", ["TAPCARD_MASTERMIND_PASSWORD": "sesame"])
        #expect(login.status == 0, "\(login)")
        let ended = await bench.run("mastermind ranking")
        #expect(
            ended.text == """
                amanda   1 guess,   4 slots   2026-11-22 10:00:00
                日本語   5 guesses, 4 slots   2026-11-22 10:00:00
                José    10 guesses, 4 slots   2026-11-22 10:00:00
                e\u{301}       11 guesses, 4 slots   2026-11-22 10:00:00
                \u{FFFD}       12 guesses, 4 slots   2026-11-22 10:00:00
                한글 x  13 guesses, 4 slots   2026-11-22 10:00:00

                """)
    }
}
