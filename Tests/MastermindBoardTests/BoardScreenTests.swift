import Games
import MastermindBoard
import ServicePorts
import Testing
import Thoroughness

@Suite("The board in whatever room there is")
struct BoardScreenTests {
    /// Boards in each state that looks different.
    private static func scenes(slots: Int, _ width: Int, _ height: Int) throws -> [Board] {
        let empty = try BoardMaker.board(slots: slots, width: width, height: height)
        var full = try BoardMaker.board(slots: slots, guesses: 101, width: width, height: height)
        full.type(String(repeating: "3", count: slots))
        var lost = full
        var history = full.history
        history.ask(BoardMaker.guess(1, slots: slots))
        _ = lost.take(.guessFailed(String(repeating: "It has failed. ", count: 12), history))
        var help = full
        help.type("?")
        var ranking = full
        ranking.type("r")
        _ = ranking.take(
            .ranking(
                (1...40).map { BoardMaker.rank("王 Zoë \u{1B}[31m\($0)", $0, slots: slots) }))
        var question = full
        _ = question.take(.passwordWanted(user: String(repeating: "amanda", count: 9)))
        return [empty, full, lost, help, ranking, question]
    }

    /// Among twelve neighbours every width and every height once, and always the corners.
    private static func sizes(_ number: Int) -> [(Int, Int)] {
        let widths = (20...200).filter { $0 % 12 == number % 12 }
        let heights = (8...60).filter { $0 % 12 == number % 12 }
        var sizes = widths.map { ($0, [8, 12, 24][$0 % 3]) }
        sizes += heights.map { ([20, 40, 80][$0 % 3], $0) }
        sizes += [(20, 8), (20, 60), (200, 8), (200, 60), (80, 24), (40, 12)]
        return sizes
    }

    @Test(
        "as many lines as there is room for and none too wide, with colour and without",
        arguments: Thoroughness.some(Array(1...12), of: 5))
    func bounds(slots: Int) throws {
        for (width, height) in BoardScreenTests.sizes(slots) {
            for board in try BoardScreenTests.scenes(slots: slots, width, height) {
                let plain = board.lines
                #expect(plain.count == height)
                #expect(plain.allSatisfy { Cells.count($0) <= width }, "\(width)x\(height)")
                #expect(!plain.joined().contains("\u{1B}"))
                // Colour adds to the words and says nothing by itself.
                let colourful = BoardScreen(board).lines(hasColour: true)
                #expect(colourful.map(Cells.withoutColour) == plain, "\(width)x\(height)")
            }
        }
    }

    @Test("the guess being chosen, the last one and the way out are always seen", arguments: 1...12)
    func essentials(slots: Int) throws {
        for (width, height) in BoardScreenTests.sizes(slots + 5) {
            var board = try BoardMaker.board(
                slots: slots, guesses: 17, width: width, height: height)
            board.type(String(repeating: "5", count: slots - 1))
            let digits = board.lines.map { line in line.filter { "0123456789_".contains($0) } }
            let chosen = String(repeating: "5", count: slots - 1) + "_"
            #expect(digits.contains(chosen), "\(width)x\(height)")
            let last = BoardMaker.guess(16, slots: slots).map(String.init).joined()
            #expect(digits.contains { $0.contains(last) }, "\(width)x\(height)")
            #expect(board.screen.contains("q leave"), "\(width)x\(height)")
            #expect(board.screen.contains("? help"), "\(width)x\(height)")
        }
    }

    @Test("every guess can be scrolled to, and back", arguments: [(20, 8), (40, 12), (80, 24)])
    func scrolling(width: Int, height: Int) throws {
        var board = try BoardMaker.board(slots: 4, guesses: 57, width: width, height: height)
        let latest = board.screen
        var seen: Set<Substring> = []
        for _ in 0..<60 {
            for line in board.lines { seen.formUnion(line.split(separator: " ").prefix(1)) }
            board.press(.pageUp)
        }
        for number in 1...57 { #expect(seen.contains("\(number)"), "guess \(number)") }
        for _ in 0..<60 { board.press(.pageDown) }
        #expect(board.screen == latest)
        // A new answer is seen, wherever one has scrolled to.
        board.press(.pageUp, .pageUp)
        _ = board.take(.answered(BoardMaker.history(58, slots: 4)))
        #expect(board.lines.contains { $0.hasPrefix("58") })
    }

    @Test("the help can be read to its end in the smallest window")
    func helpInSmallWindow() throws {
        var board = try BoardMaker.board(slots: 12, width: 20, height: 8)
        board.type("?")
        var text = ""
        for _ in 0..<100 {
            text += board.screen
            board.press(.down)
        }
        #expect(text.contains("black") && text.contains("Ctrl-C"))
        for _ in 0..<100 { board.press(.up) }
        #expect(board.lines[0] == "How to play")
        #expect(board.screen.contains("The service has"))
    }

    @Test("a window that is too small says so, and one without any room shows nothing")
    func tooSmall() throws {
        for width in 0..<22 {
            for height in 0..<10 where width < 20 || height < 8 {
                let board = try BoardMaker.board(
                    slots: 12, guesses: 20, width: width, height: height)
                let lines = board.lines
                #expect(lines.count == (width == 0 ? 0 : height))
                #expect(lines.allSatisfy { Cells.count($0) <= width })
            }
        }
        let board = try BoardMaker.board(width: 19, height: 7)
        #expect(board.screen == "The window is too\nsmall: 20x8 at\nleast. q leaves.")
    }

    @Test("guesses that were made elsewhere are missing by number")
    func elsewhere() throws {
        let evaluation = MastermindEvaluation(black: 1, white: 0)
        let turns = [
            MastermindTurn([1, 1], .evaluated(evaluation, number: 3)),
            MastermindTurn([1, 2], .counted(number: 4)),
            MastermindTurn([1, 3], .unknown),
            MastermindTurn([1, 4], .evaluated(evaluation, number: 9)),
            MastermindTurn([1, 5], .evaluated(evaluation, number: 11)),
        ]
        let board = Board(
            try BoardMaker.game(slots: 2), MastermindHistory(turns),
            rules: try MastermindRules(slots: 2), size: BoardSize(width: 60, height: 14))
        #expect(
            board.screen == """
                Mastermind   2 slots, colours 1-6   11 guesses

                   1-2 made elsewhere
                 3  1  1   B.  1 black, 0 white
                 4  1  2   no answer came
                 ?  1  3   no answer came
                   5-8 made elsewhere
                 9  1  4   B.  1 black, 0 white
                   10 made elsewhere
                11  1  5   B.  1 black, 0 white
                 > [_] _\u{20}

                1-6 colour  Enter guess  ? help  q leave  r ranking
                Left/Right move  Up/Down change  Backspace clear
                """)
    }

    @Test("a whole screen of the usual size")
    func usual() throws {
        var board = try BoardMaker.board(slots: 6, guesses: 2, width: 80, height: 14)
        board.type("15")
        #expect(
            board.screen == """
                Mastermind   6 slots, colours 1-6   2 guesses

                 1  1  6  5  4  3  2   W.....  0 black, 1 white
                 2  2  1  6  5  4  3   W.....  0 black, 1 white
                 >  1  5 [_] _  _  _\u{20}







                1-6 colour  Enter guess  ? help  q leave  r ranking  Left/Right move
                Up/Down change  Backspace clear
                """)
    }

    @Test("a whole screen of the smallest size")
    func smallest() throws {
        var board = try BoardMaker.board(slots: 12, guesses: 5, width: 20, height: 8)
        board.type("15")
        #expect(
            board.screen == """
                Mastermind
                -- 3 above
                 4 432165432165 0/1
                 5 543216543216 0/1
                 > 15__________
                     ^

                1-6  ? help  q leave
                """)
    }

    @Test("the ranking: the fewest guesses first, then the earlier game")
    func ranking() throws {
        var board = try BoardMaker.board(slots: 4, width: 60, height: 12)
        board.type("r")
        #expect(board.screen.contains("Asking the service"))
        _ = board.take(
            .ranking([
                BoardMaker.rank("Zoë Álvarez", 12), BoardMaker.rank("王小明", 3),
                BoardMaker.rank("Bo", 1, slots: 6),
            ]))
        #expect(
            board.lines.prefix(4) == [
                "Ranking   4 slots",
                "1 王小明                             3  2021-04-26 17:26:22",
                "2 Zoë Álvarez                       12  2021-04-26 17:26:22", "",
            ])
        #expect(board.lines.last == "Esc back  Left/Right slots  Up/Down scroll")
        _ = board.take(.ranking([]))
        #expect(board.screen.contains("Nobody has solved this size yet."))
    }
}

/// The columns of a line on a terminal.
enum Cells {
    /// The wide characters that these tests use.
    static func count(_ line: String) -> Int {
        line.reduce(0) { $0 + ("王小明".contains($1) ? 2 : 1) }
    }

    static func withoutColour(_ line: String) -> String {
        line.replacing(/\u{1B}\[[0-9;]*m/, with: "")
    }
}
