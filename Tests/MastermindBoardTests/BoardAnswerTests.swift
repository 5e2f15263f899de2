import Games
import MastermindBoard
import SeededChance
import Testing

@Suite("What the service's answers do to the board")
struct BoardAnswerTests {
    private func answered(_ board: inout Board, _ guess: [Int], _ black: Int, _ white: Int) {
        var history = board.history
        history.ask(guess)
        history.answer(
            guess, MastermindEvaluation(black: black, white: white), number: history.guessCount + 1)
        #expect(board.take(.answered(history)) == nil)
    }

    @Test("an evaluation is told, and the next guess begins empty")
    func evaluation() throws {
        var board = try BoardMaker.board()
        board.type("1234")
        board.press(.enter)
        answered(&board, [1, 2, 3, 4], 1, 2)
        #expect(board.phase == .choosing)
        #expect(board.choice == [nil, nil, nil, nil])
        #expect(board.cursor == 0)
        #expect(board.message == .init(tone: .plain, text: "1 black, 2 white."))
        #expect(board.screen.contains(" 1  1  2  3  4   BWW.  1 black, 2 white"))
    }

    @Test("a game that is solved takes no more guesses, and n starts another one")
    func solved() throws {
        var board = try BoardMaker.board()
        board.type("1234")
        board.press(.enter)
        answered(&board, [1, 2, 3, 4], 4, 0)
        #expect(board.phase == .solved(guesses: 1))
        #expect(board.message?.text == "Solved with the first guess! n starts a new game.")
        #expect(board.type("1234") == nil)
        #expect(board.press(.enter, .up, .clear) == nil)
        #expect(board.choice == [nil, nil, nil, nil])
        #expect(board.type("n") == .start(slots: 4))
        #expect(board.phase == .starting)
        #expect(board.type("n1") == nil)
        _ = board.take(.started(try BoardMaker.game(slots: 6), MastermindHistory()))
        #expect(board.phase == .choosing)
        #expect(board.choice.count == 6)
        #expect(board.rules.slots == 6)
    }

    @Test("a game that was solved before says so")
    func solvedBefore() throws {
        var history = BoardMaker.history(4, slots: 4)
        history.answer([6, 6, 6, 6], MastermindEvaluation(black: 4, white: 0), number: 5)
        let board = Board(
            try BoardMaker.game(slots: 4), history, rules: try MastermindRules(slots: 4),
            size: BoardSize(width: 80, height: 24))
        #expect(board.phase == .solved(guesses: 5))
        #expect(board.screen.contains("Solved with 5 guesses! n starts a new game."))
    }

    @Test("a guess that does not count stays chosen, and can be made again or typed over")
    func withdrawn() throws {
        var board = try BoardMaker.board()
        // The same guess was lost before: that one stays as it is.
        var history = board.history
        history.ask([1, 2, 3, 4])
        for text in ["Nobody answered.", "Still nobody."] {
            board.type("1234")
            board.press(.enter)
            _ = board.take(.guessFailed(text, history))
        }
        #expect(board.phase == .choosing)
        #expect(board.choice == [1, 2, 3, 4])
        #expect(board.message == .init(tone: .bad, text: "Still nobody."))
        board.press(.enter)
        #expect(board.phase == .asking(leaving: false))
        _ = board.take(.guessFailed("Still nobody.", history))
        board.type("5555")
        #expect(board.choice == [5, 5, 5, 5])
    }

    @Test("a guess that may have counted is not made again by one key")
    func failure() throws {
        var board = try BoardMaker.board()
        board.type("1234")
        board.press(.enter)
        var history = board.history
        history.ask([1, 2, 3, 4])
        _ = board.take(.guessFailed("Nobody answered.", history))
        #expect(board.phase == .choosing)
        #expect(board.choice == [nil, nil, nil, nil])
        #expect(board.cursor == 0)
        #expect(board.message == .init(tone: .bad, text: "Nobody answered."))
        #expect(board.screen.contains(" ?  1  2  3  4   no answer came"))
        #expect(board.press(.enter) == nil)
        board.type("1234")
        board.press(.enter)
        // Nothing is known where the file is gone.
        _ = board.take(.guessFailed("The file is gone.", nil))
        #expect(board.choice == [nil, nil, nil, nil])
        #expect(board.history == history)
    }

    @Test("without a game one is started, and a start that failed is tried again with n")
    func starting() throws {
        var board = Board(
            starting: try MastermindRules(slots: 6), size: BoardSize(width: 80, height: 24))
        #expect(board.phase == .starting)
        #expect(board.screen.contains("Starting a game"))
        _ = board.take(.startFailed("Nobody answered."))
        #expect(board.phase == .without)
        #expect(board.screen.contains("Nobody answered."))
        #expect(board.type("123") == nil)
        #expect(board.type("n") == .start(slots: 6))
        #expect(board.message == nil)
        _ = board.take(.started(try BoardMaker.game(slots: 6), MastermindHistory()))
        #expect(board.phase == .choosing)
        _ = board.take(.started(try BoardMaker.game(slots: 13), MastermindHistory()))
        #expect(board.phase == .without)
    }

    @Test("a ranking that failed says why")
    func rankingFailed() throws {
        var board = try BoardMaker.board()
        board.type("r")
        _ = board.take(.rankingFailed("Nobody answered."))
        #expect(board.screen.contains("Nobody answered."))
        #expect(board.type("q") == nil)
        #expect(board.page == .game)
    }

    @Test("no keys and answers, in whatever order, bring it out of its bounds")
    func anything() throws {
        var generator = SeededGenerator(seed: 7)
        func chance(_ count: Int) -> Int { generator.below(count) }
        let keys: [BoardKey] =
            [
                .left, .right, .up, .down, .next, .previous, .first, .last, .pageUp, .pageDown,
                .clear, .erase, .enter, .back,
            ] + "0123456789hjklqr?nx".map { .character($0) }
        for round in 0..<40 {
            let slots = round % 12 + 1
            var board = try BoardMaker.board(
                slots: slots, guesses: chance(30), width: 20 + chance(80), height: 8 + chance(20))
            for _ in 0..<120 {
                let event: Board.Event =
                    switch chance(12) {
                    case 0: .answered(BoardMaker.history(chance(40), slots: board.rules.slots))
                    case 1: .guessFailed("It failed.", nil)
                    case 2: .ranking([BoardMaker.rank("Al", 3, slots: chance(12) + 1)])
                    case 3: .resized(BoardSize(width: chance(100), height: chance(40)))
                    case 4: .passwordWanted(user: "amanda")
                    default: .key(keys[chance(keys.count)])
                    }
                if case .guess(let guess, let game)? = board.take(event) {
                    #expect(game == board.game)
                    try board.rules.requireGuess(guess)
                }
                #expect(board.choice.count == board.rules.slots)
                #expect(board.choice.indices.contains(board.cursor))
                #expect(board.lines.count == board.size.height || board.size.width == 0)
            }
        }
    }
}
