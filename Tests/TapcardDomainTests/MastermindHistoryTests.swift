import TapcardDomain
import Testing

@Suite("The guesses of a game")
struct MastermindHistoryTests {
    private static let one = MastermindEvaluation(black: 1, white: 0)

    private func turn(_ guess: [Int], _ number: Int) -> MastermindTurn {
        MastermindTurn(guess, .evaluated(MastermindHistoryTests.one, number: number))
    }

    @Test("a guess is unknown until its answer comes")
    func answer() {
        var history = MastermindHistory()
        history.ask([1, 1])
        #expect(history.turns == [MastermindTurn([1, 1], .unknown)])
        #expect(history.guessCount == 0)
        history.answer([1, 1], MastermindHistoryTests.one, number: 1)
        #expect(history.turns == [turn([1, 1], 1)])
        #expect(history.guessCount == 1)
    }

    @Test("one that did not reach the game is no guess; only the last of equal ones goes")
    func withdraw() {
        var history = MastermindHistory()
        history.ask([1, 1])
        history.ask([2, 2])
        history.ask([1, 1])
        history.withdraw([1, 1])
        #expect(history.turns.map(\.guess) == [[1, 1], [2, 2]])
        history.withdraw([3, 3])
        #expect(history.turns.count == 2)
    }

    @Test("the next number says that the lost guess counted, or that it did not")
    func resolving() {
        var lost = MastermindHistory([turn([1, 1], 1)])
        lost.ask([2, 2])
        lost.ask([3, 3])
        var counted = lost
        counted.answer([3, 3], MastermindHistoryTests.one, number: 3)
        #expect(
            counted.turns
                == [
                    turn([1, 1], 1), MastermindTurn([2, 2], .counted(number: 2)), turn([3, 3], 3),
                ])
        var notCounted = lost
        notCounted.answer([3, 3], MastermindHistoryTests.one, number: 2)
        #expect(notCounted.turns == [turn([1, 1], 1), turn([3, 3], 2)])
        // Somebody else has played, too: then nothing can be said.
        var elsewhere = lost
        elsewhere.answer([3, 3], MastermindHistoryTests.one, number: 7)
        #expect(
            elsewhere.turns
                == [turn([1, 1], 1), MastermindTurn([2, 2], .unknown), turn([3, 3], 7)])
    }

    @Test("the answer to a guess that was lost the same way finds the later one")
    func repeated() {
        var history = MastermindHistory()
        history.ask([1, 1])
        history.ask([1, 1])
        history.answer([1, 1], MastermindHistoryTests.one, number: 2)
        #expect(
            history.turns == [MastermindTurn([1, 1], .counted(number: 1)), turn([1, 1], 2)])
    }

    @Test("an answer whose guess was let go is kept all the same")
    func unasked() {
        var history = MastermindHistory()
        history.answer([1, 1], MastermindHistoryTests.one, number: 1)
        #expect(history.turns == [turn([1, 1], 1)])
    }

    @Test("only so many are kept")
    func limit() {
        var history = MastermindHistory()
        for number in 1...MastermindHistory.mostTurns + 5 {
            history.ask([1, 1])
            history.answer([1, 1], MastermindHistoryTests.one, number: number)
        }
        #expect(history.turns.count == MastermindHistory.mostTurns)
        #expect(history.turns.first?.number == 6)
        #expect(history.guessCount == MastermindHistory.mostTurns + 5)
    }

    @Test("solved is what has every slot black")
    func solved() {
        var history = MastermindHistory([turn([1, 1], 1)])
        #expect(history.solvedAt(slots: 2) == nil)
        history.answer([1, 2], MastermindEvaluation(black: 2, white: 0), number: 4)
        #expect(history.solvedAt(slots: 2) == 4)
    }
}
