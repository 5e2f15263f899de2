import Games
import MastermindBoard
import Testing

@Suite("What the keys do at the board")
struct BoardKeyTests {
    @Test("digits choose and go on to the next slot; after the last one they begin another row")
    func digits() throws {
        var board = try BoardMaker.board()
        #expect(board.type("12") == nil)
        #expect(board.choice == [1, 2, nil, nil])
        #expect(board.cursor == 2)
        board.type("34")
        #expect(board.choice == [1, 2, 3, 4])
        #expect(board.cursor == 3)
        // Who goes to a slot changes that one.
        board.press(.last)
        board.type("6")
        #expect(board.choice == [1, 2, 3, 6])
        board.type("5")
        #expect(board.choice == [5, nil, nil, nil])
        #expect(board.cursor == 1)
        // A row with a gap does not start again either.
        board.press(.last)
        board.type("22")
        #expect(board.choice == [5, nil, nil, 2])
    }

    @Test("a colour that there is not is refused by name", arguments: ["0", "7", "9"])
    func noSuchColour(digit: String) throws {
        var board = try BoardMaker.board()
        board.type(digit)
        #expect(board.choice == [nil, nil, nil, nil])
        #expect(
            board.message
                == .init(tone: .bad, text: "There is no colour \(digit); they are 1 to 6."))
        board.type("1")
        #expect(board.message == nil)
    }

    @Test(
        "digits of other writings and letters choose nothing", arguments: ["٣", "x", "³", "Ⅳ", " "])
    func otherDigits(text: String) throws {
        var board = try BoardMaker.board()
        board.type(text)
        #expect(board.choice == [nil, nil, nil, nil])
        #expect(board.cursor == 0)
    }

    @Test("moving stops at the ends, Tab goes round")
    func moving() throws {
        var board = try BoardMaker.board()
        board.press(.left)
        #expect(board.cursor == 0)
        board.press(.right, .character("l"))
        #expect(board.cursor == 2)
        board.press(.right, .right, .right)
        #expect(board.cursor == 3)
        board.press(.character("h"))
        #expect(board.cursor == 2)
        board.press(.next, .next)
        #expect(board.cursor == 0)
        board.press(.previous)
        #expect(board.cursor == 3)
        board.press(.first)
        #expect(board.cursor == 0)
        board.press(.last)
        #expect(board.cursor == 3)
    }

    @Test("up and down go through the colours and round")
    func changing() throws {
        var board = try BoardMaker.board()
        board.press(.up)
        #expect(board.choice[0] == 1)
        board.press(.character("k"))
        #expect(board.choice[0] == 2)
        board.press(.down, .character("j"))
        #expect(board.choice[0] == 6)
        board.press(.up)
        #expect(board.choice[0] == 1)
        board.press(.right, .down)
        #expect(board.choice[1] == 6)
    }

    @Test("backspace clears the slot, and the one before where it is empty")
    func clearing() throws {
        var board = try BoardMaker.board()
        board.type("12")
        board.press(.clear)
        #expect(board.choice == [1, nil, nil, nil])
        #expect(board.cursor == 1)
        board.press(.clear)
        #expect(board.choice == [nil, nil, nil, nil])
        board.press(.clear, .clear)
        #expect(board.cursor == 0)
        board.type("5")
        board.press(.left, .erase)
        #expect(board.choice == [nil, nil, nil, nil])
        #expect(board.cursor == 0)
    }

    @Test("a guess is made when every slot has its colour, and not before")
    func guessing() throws {
        var board = try BoardMaker.board()
        board.type("12")
        board.press(.first)
        #expect(board.press(.enter) == nil)
        #expect(board.message == .init(tone: .bad, text: "2 slots are still empty."))
        #expect(board.cursor == 2)
        board.type("3")
        #expect(board.press(.enter) == nil)
        #expect(board.message == .init(tone: .bad, text: "One slot is still empty."))
        board.type("4")
        #expect(board.press(.enter) == .guess([1, 2, 3, 4], in: try BoardMaker.game(slots: 4)))
        #expect(board.phase == .asking(leaving: false))
    }

    @Test("while a guess is on its way nothing can be chosen, nor guessed again")
    func waiting() throws {
        var board = try BoardMaker.board()
        board.type("1234")
        board.press(.enter)
        #expect(board.press(.enter, .clear, .left, .up) == nil)
        #expect(board.type("66n") == nil)
        #expect(board.choice == [1, 2, 3, 4])
    }

    @Test("leaving while a guess is on its way is asked about once more")
    func leavingWhileWaiting() throws {
        var board = try BoardMaker.board()
        board.type("1234")
        board.press(.enter)
        #expect(board.type("q") == nil)
        #expect(board.message?.text.contains("q again leaves") == true)
        #expect(board.press(.left) == nil)
        #expect(board.message == nil)
        #expect(board.type("q") == nil)
        #expect(board.type("q") == .leave)
    }

    @Test("q leaves, whatever is chosen")
    func leaving() throws {
        var board = try BoardMaker.board()
        #expect(board.type("12q") == .leave)
    }

    @Test("help lies over the game until it is closed", arguments: ["?", "q"])
    func help(key: String) throws {
        var board = try BoardMaker.board()
        board.type("1?")
        #expect(board.page == .help)
        #expect(board.type("2") == nil)
        #expect(board.type(key) == nil)
        #expect(board.page == .game)
        #expect(board.choice == [1, nil, nil, nil])
        board.type("?")
        board.press(.back)
        #expect(board.page == .game)
    }

    @Test("the ranking is asked for, and its sizes are looked through")
    func ranking() throws {
        var board = try BoardMaker.board(slots: 4)
        #expect(board.type("r") == .ranking)
        #expect(board.page == .ranking(.waiting))
        let rows = [
            BoardMaker.rank("Bo", 9), BoardMaker.rank("Al", 3), BoardMaker.rank("Cy", 5, slots: 6),
        ]
        #expect(board.take(.ranking(rows)) == nil)
        #expect(board.page == .ranking(.rows(rows, slots: 4)))
        board.press(.left)
        #expect(board.page == .ranking(.rows(rows, slots: 4)))
        board.press(.right)
        #expect(board.page == .ranking(.rows(rows, slots: 6)))
        board.press(.right)
        #expect(board.page == .ranking(.rows(rows, slots: 6)))
        board.press(.left)
        #expect(board.page == .ranking(.rows(rows, slots: 4)))
        #expect(board.type("r") == nil)
        #expect(board.page == .game)
    }

    @Test("a ranking that comes when it is no longer looked at is let go")
    func lateRanking() throws {
        var board = try BoardMaker.board()
        board.type("r")
        board.press(.back)
        _ = board.take(.ranking([BoardMaker.rank("Al", 3)]))
        #expect(board.page == .game)
        _ = board.take(.rankingFailed("no"))
        #expect(board.page == .game)
    }

    @Test("a password is typed over whatever lies there, and shown nowhere")
    func password() throws {
        var board = try BoardMaker.board()
        board.type("1234")
        board.press(.enter)
        _ = board.take(.passwordWanted(user: "amanda"))
        #expect(board.press(.enter) == nil)
        #expect(board.type("sesameq?rx") == nil)
        #expect(!board.screen.contains("sesame"))
        #expect(board.screen.contains("amanda"))
        board.press(.clear)
        #expect(board.press(.enter) == .password("sesameq?r"))
        #expect(board.question == nil)
        #expect(board.phase == .asking(leaving: false))
        _ = board.take(.passwordWanted(user: "amanda"))
        board.type("abc")
        board.press(.erase)
        #expect(board.type("d") == nil)
        #expect(board.press(.enter) == .password("d"))
        _ = board.take(.passwordWanted(user: "amanda"))
        #expect(board.press(.back) == .password(nil))
    }

    @Test("a password that is too long is not cut unseen")
    func longPassword() throws {
        var board = try BoardMaker.board()
        _ = board.take(.passwordWanted(user: "amanda"))
        board.type(String(repeating: "x", count: 2_000))
        #expect(board.press(.enter) == .password(String(repeating: "x", count: 2_000)))
    }
}
