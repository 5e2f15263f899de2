import Games
import IdleDrivers
import ServicePorts
import TapcardDomain
import Testing
import Verbs

@Suite("The ranking of Mastermind on lines")
struct MastermindRankingTests {
    /// Lets everybody in, and knows who needed how many guesses.
    private struct Parlour: MastermindService {
        static let unasked = ServiceError(.refused, "nobody plays here")
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
            _ colours: [Int], in game: MastermindGameID, with token: MastermindToken
        ) throws(ServiceError) -> MastermindAnswer { throw Parlour.unasked }

        func ranking(with token: MastermindToken) -> [MastermindRank] {
            rows.map { row in
                MastermindRank(
                    id: row.name, participant: row.name, name: row.name,
                    time: "2026-11-22 10:00:00", score: row.score, slots: 4, icons: [])
            }
        }
    }

    @Test("columns are in line, however wide the letters of a name are")
    func columns() async throws {
        let parlour = Parlour(rows: [
            ("amanda", 1), ("日本語", 5), ("José", 10), ("e\u{301}", 11), ("👨‍👩‍👧", 12), ("한글 x", 13),
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
