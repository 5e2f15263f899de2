import BlockingLane
import Glibc
import OperatingSystem
import StationFiles
import TapcardCore
import TapcardDomain
import Testing

@Suite("The file of Mastermind games")
struct MastermindFileTests {
    @Test("A games file cut off anywhere is set aside, and the next login starts a new one")
    func truncated() async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        _ = try await play.guess([1, 1, 1, 1])
        let bytes = try #require(try DurableFile(bench.path).read())
        // Without its last line feed it is whole.
        for count in stride(from: 0, to: bytes.count - 1, by: 7) {
            try DurableFile(bench.path).write(
                Array(bytes.prefix(count)), mode: 0o600, durable: false)
            #expect(try play.currentGame() == nil, "\(count) bytes")
            #expect(try DurableFile(bench.path).read() == nil)
            #expect(try DurableFile(bench.path + ".damaged").read()?.count == count)
            let note = bench.notes.withLock { $0.removeLast() }
            #expect(note.contains(bench.path + ".damaged") && note.contains("log in again"))
        }
        try await play.logIn(as: "amanda", password: PlayedMastermind.passwordText)
        #expect(try play.user() == "amanda")
    }

    @Test(
        "A file that does not hold valid games is set aside",
        arguments: [
            "[]", "{}", #"{"format":"something else","login":null,"current":null,"games":[]}"#,
            file(login: "7"), file(login: login(token: "with space")),
            file(login: login(seconds: "29")), file(login: login(seconds: "6e1")),
            file(current: #""4492936ae8ce8a711e01c30d30f884ed""#), file(current: "7"),
            file(games: [game(slots: "13")]), file(games: [game(slots: "0")]),
            file(games: [game(id: "4492")]), file(games: [game(guesses: "7")]),
            file(games: [game(guesses: "[[[1,2],1,1]]")]),
            file(games: [game(guesses: "[[[1],1,1,0]]")]),
            file(games: [game(guesses: "[[[1,13],1,1,0]]")]),
            file(games: [game(guesses: "[[[1,0],1,1,0]]")]),
            file(games: [game(guesses: "[[[1,2],1,3,0]]")]),
            file(games: [game(guesses: "[[[1,2],1,2,1]]")]),
            file(games: [game(guesses: "[[[1,2],0,1,0]]")]),
            file(games: [game(guesses: "[[[1,2],null,1,0]]")]),
            file(games: [game(guesses: "[[[1,2],1,1,null]]")]),
            file(games: [game(guesses: #"[[[1,2],"1",1,0]]"#)]),
            file(games: Array(repeating: game(), count: 17)),
            file(games: [
                game(
                    guesses: "["
                        + Array(repeating: "[[1,2],1,1,0]", count: 1_001)
                        .joined(separator: ",") + "]")
            ]),
            String(repeating: "[", count: 100), String(repeating: " ", count: 1_048_577),
        ])
    func damaged(text: String) throws {
        let bench = try PlayBench()
        try DurableFile(bench.path).write(Array(text.utf8), mode: 0o600, durable: false)
        #expect(try bench.play().currentGame() == nil)
        #expect(bench.notes.withLock { $0.count } == 1)
        #expect(try DurableFile(bench.path + ".damaged").read() == Array(text.utf8))
    }

    @Test("A valid games file is read as it is, whoever wrote it")
    func sound() throws {
        let bench = try PlayBench()
        let guesses =
            #"[[[1,2],1,1,0],[[2,2],2,null,null],[[3,3],null,null,null],"#
            + #"[[4,4],"asked",null,null]]"#
        let text = MastermindFileTests.file(
            login: MastermindFileTests.login(seconds: "30"),
            current: #""4492936ae8ce8a711e01c30d30f884ed""#,
            games: [MastermindFileTests.game(guesses: guesses)])
        try DurableFile(bench.path).write(Array(text.utf8), mode: 0o600, durable: false)
        let kept = try #require(try bench.play().currentGame())
        #expect(
            kept.history.turns == [
                MastermindTurn(
                    [1, 2], .evaluated(MastermindEvaluation(black: 1, white: 0), number: 1)),
                MastermindTurn([2, 2], .counted(number: 2)), MastermindTurn([3, 3], .unknown),
                MastermindTurn([4, 4], .asked),
            ])
        #expect(bench.notes.withLock { $0.isEmpty })
    }

    @Test("The largest possible games file stays within the size limit and can be read")
    func largest() async throws {
        let bench = try PlayBench()
        let guess = "[12,12,12,12,12,12,12,12,12,12,12,12]"
        let turns =
            "["
            + Array(repeating: "[\(guess),1000000,10,2]", count: 1_000)
            .joined(separator: ",") + "]"
        let games = (0..<16).map { number in
            let digits = String(number, radix: 16)
            return MastermindFileTests.game(
                id: String(repeating: "a", count: 31) + digits, slots: "12", guesses: turns)
        }
        let text = MastermindFileTests.file(
            login: MastermindFileTests.login(seconds: "30"), games: games)
        #expect(text.utf8.count < 1_048_576)
        try DurableFile(bench.path).write(Array(text.utf8), mode: 0o600, durable: false)
        #expect(try bench.play().currentGame() == nil)
        #expect(try bench.play().user() != nil)
    }

    @Test(
        "A games file that other users can read is refused",
        arguments: [UInt32(0o644), 0o640, 0o604])
    func readableByOthers(mode: UInt32) async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        try #require(unsafe chmod(bench.path, mode) == 0)
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try play.currentGame()
        }
        #expect(error?.kind == .fileUnusable)
        #expect(error?.next == [.file(.makePrivate(.games, bench.path))])
    }

    @Test("A games file of a newer tapcard is refused and left alone")
    func newer() async throws {
        let bench = try PlayBench()
        let text = #"{"format":"tapcard mastermind 2","all":"different"}"#
        try DurableFile(bench.path).write(Array(text.utf8), mode: 0o600, durable: false)
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try bench.play().currentGame()
        }
        #expect(error?.kind == .fileUnusable && error?.what.contains("newer") == true)
        #expect(try bench.text() == text)
    }

    @Test("No guess is sent while the games file cannot be locked")
    func unwritable() async throws {
        let bench = try PlayBench()
        let play = try await bench.playing()
        // A folder in the lock's place: not even root can open that for writing.
        try #require(unsafe unlink(bench.path + ".lock") == 0)
        try #require(unsafe mkdir(bench.path + ".lock", 0o700) == 0)
        defer { unsafe rmdir(bench.path + ".lock") }
        let error = await bench.refusal { () async throws(TapcardError) in
            _ = try await play.guess([1, 1, 1, 1])
        }
        #expect(error?.kind == .fileUnusable)
        #expect(bench.service.asked.count == 2)
    }

    private static func file(
        login: String = "null", current: String = "null", games: [String] = []
    ) -> String {
        #"{"format":"tapcard mastermind 1","login":\#(login),"current":\#(current),"games":["#
            + games.joined(separator: ",") + "]}"
    }

    private static func login(token: String = "abc", seconds: String = "null") -> String {
        #"{"address":"http://127.0.0.1:1","user":"amanda","token":"\#(token)","#
            + #""timeToLive":\#(seconds)}"#
    }

    private static func game(
        id: String = "4492936ae8ce8a711e01c30d30f884ed", slots: String = "2",
        guesses: String = "[]"
    ) -> String {
        #"{"address":"http://127.0.0.1:1","id":"\#(id)","slots":\#(slots),"guesses":\#(guesses)}"#
    }
}
