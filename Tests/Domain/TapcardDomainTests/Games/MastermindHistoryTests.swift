import TapcardDomain
import TestSupport
import Testing

@Suite("The guesses of a Mastermind game")
struct MastermindHistoryTests {
    private static let one = MastermindEvaluation(black: 1, white: 0)

    private func turn(_ guess: [Int], _ number: Int) -> MastermindTurn {
        MastermindTurn(guess, .evaluated(MastermindHistoryTests.one, number: number))
    }

    @Test("A guess is pending until its answer arrives")
    func answer() {
        var history = MastermindHistory()
        history.send([1, 1])
        #expect(history.turns == [MastermindTurn([1, 1], .asked)])
        #expect(history.guessCount == 0)
        history.answer([1, 1], MastermindHistoryTests.one, number: 1)
        #expect(history.turns == [turn([1, 1], 1)])
        #expect(history.guessCount == 1)
    }

    @Test("Withdrawing a guess removes the last equal one, and nothing if there is none")
    func withdraw() {
        var history = MastermindHistory()
        history.send([1, 1])
        history.send([2, 2])
        history.send([1, 1])
        history.withdraw([1, 1])
        #expect(history.turns.map(\.guess) == [[1, 1], [2, 2]])
        history.withdraw([3, 3])
        #expect(history.turns.count == 2)
    }

    @Test("The next number tells whether a lost guess counted, unless others played, too")
    func resolving() {
        var lost = MastermindHistory([turn([1, 1], 1)])
        lost.send([2, 2])
        lost.lose([2, 2])
        lost.send([3, 3])
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

    @Test("A pending guess is not resolved by the answer to another one")
    func together() {
        var history = MastermindHistory()
        history.send([1, 1])
        history.send([2, 2])
        var late = history
        history.answer([2, 2], MastermindHistoryTests.one, number: 2)
        history.answer([1, 1], MastermindHistoryTests.one, number: 1)
        #expect(history.turns == [turn([1, 1], 1), turn([2, 2], 2)])
        late.answer([2, 2], MastermindHistoryTests.one, number: 1)
        late.answer([1, 1], MastermindHistoryTests.one, number: 2)
        #expect(late.turns == [turn([1, 1], 2), turn([2, 2], 1)])
        history.send([3, 3])
        history.lose([3, 3])
        history.send([4, 4])
        history.answer([4, 4], MastermindHistoryTests.one, number: 3)
        #expect(history.turns.map(\.guess) == [[1, 1], [2, 2], [4, 4]])
    }

    @Test("Concurrent guesses never share a number or count a guess that did not count")
    func interleavings() {
        var generator = SeededGenerator(seed: 11)
        func chance(_ count: Int) -> Int { generator.below(count) }
        for _ in 0..<2_000 {
            var history = MastermindHistory()
            /// The number that the service gave to each guess; no two guesses are equal.
            var counted: [[Int]: Int] = [:]
            var waiting: [[Int]?] = [nil, nil, nil]
            for step in 1...24 {
                let player = chance(waiting.count)
                guard let guess = waiting[player] else {
                    waiting[player] = [step, step]
                    history.send([step, step])
                    continue
                }
                if counted[guess] == nil, chance(2) == 0 {
                    counted[guess] = counted.count + 1
                    continue
                }
                waiting[player] = nil
                if let number = counted[guess], chance(4) > 0 {
                    history.answer(guess, MastermindHistoryTests.one, number: number)
                } else if counted[guess] == nil, chance(2) == 0 {
                    history.withdraw(guess)
                } else {
                    history.lose(guess)
                }
                let numbers = history.turns.compactMap(\.number)
                #expect(Set(numbers).count == numbers.count)
                for turn in history.turns where turn.number != nil {
                    #expect(counted[turn.guess] != nil)
                    if turn.evaluation != nil { #expect(counted[turn.guess] == turn.number) }
                }
            }
        }
    }

    @Test("Of two equal pending guesses, the answer belongs to the later one")
    func repeated() {
        var history = MastermindHistory()
        history.send([1, 1])
        history.send([1, 1])
        history.answer([1, 1], MastermindHistoryTests.one, number: 2)
        #expect(
            history.turns == [MastermindTurn([1, 1], .counted(number: 1)), turn([1, 1], 2)])
    }

    @Test("An answer without a pending guess is kept")
    func unasked() {
        var history = MastermindHistory()
        history.answer([1, 1], MastermindHistoryTests.one, number: 1)
        #expect(history.turns == [turn([1, 1], 1)])
    }

    @Test("Only the latest guesses are kept, but all are counted")
    func limit() {
        var history = MastermindHistory()
        for number in 1...MastermindHistory.maximumTurns + 5 {
            history.send([1, 1])
            history.answer([1, 1], MastermindHistoryTests.one, number: number)
        }
        #expect(history.turns.count == MastermindHistory.maximumTurns)
        #expect(history.turns.first?.number == 6)
        #expect(history.guessCount == MastermindHistory.maximumTurns + 5)
    }

    @Test("A game is solved by a guess with every slot black")
    func solved() {
        var history = MastermindHistory([turn([1, 1], 1)])
        #expect(history.solvedAt(slots: 2) == nil)
        history.answer([1, 2], MastermindEvaluation(black: 2, white: 0), number: 4)
        #expect(history.solvedAt(slots: 2) == 4)
    }
}
