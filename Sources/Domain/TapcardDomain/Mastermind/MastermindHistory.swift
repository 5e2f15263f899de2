/// A guess that was made, and what is known of it.
public struct MastermindTurn: Hashable, Sendable {
    /// What became of a guess.
    public enum Outcome: Hashable, Sendable {
        case evaluated(MastermindEvaluation, number: Int)
        /// It counted, as later answers showed; how near it came nobody has heard.
        case counted(number: Int)
        /// Sent, and no answer came: whether it counts is not known.
        case unknown
    }

    public let guess: [Int]
    public let outcome: Outcome

    public init(_ guess: [Int], _ outcome: Outcome) {
        (self.guess, self.outcome) = (guess, outcome)
    }

    /// Which guess of its game it was, from 1; nil where that is not known.
    public var number: Int? {
        switch outcome {
        case .evaluated(_, let number), .counted(let number): number
        case .unknown: nil
        }
    }

    public var evaluation: MastermindEvaluation? {
        if case .evaluated(let evaluation, _) = outcome { evaluation } else { nil }
    }
}

/// The guesses of one game that were made here, in their order. The same game may be played
/// elsewhere, too: the numbers tell where guesses are missing.
public struct MastermindHistory: Hashable, Sendable {
    /// The oldest go where there are more.
    public static let mostTurns = 1_000

    public private(set) var turns: [MastermindTurn]

    public init(_ turns: [MastermindTurn] = []) {
        self.turns = Array(turns.suffix(MastermindHistory.mostTurns))
    }

    /// How many guesses the service has counted, as far as is known.
    public var guessCount: Int { turns.compactMap(\.number).max() ?? 0 }

    /// The number of the guess that found all of it.
    public func solvedAt(slots: Int) -> Int? {
        turns.first { $0.evaluation?.black == slots }?.number
    }

    /// A guess is about to be sent: from now on it may count.
    public mutating func ask(_ guess: [Int]) {
        self = MastermindHistory(turns + [MastermindTurn(guess, .unknown)])
    }

    /// It did not reach the game.
    public mutating func withdraw(_ guess: [Int]) {
        guard let index = unanswered(guess) else { return }
        turns.remove(at: index)
    }

    /// Its evaluation came. The number that comes with it also says whether those before it that
    /// had no answer were counted.
    public mutating func answer(
        _ guess: [Int], _ evaluation: MastermindEvaluation, number: Int
    ) {
        let turn = MastermindTurn(guess, .evaluated(evaluation, number: number))
        guard let index = unanswered(guess) else {
            self = MastermindHistory(turns + [turn])
            return
        }
        turns[index] = turn
        let start = turns[..<index].lastIndex { $0.number != nil }.map { $0 + 1 } ?? 0
        let before = start > 0 ? turns[start - 1].number ?? 0 : 0
        let open = start..<index
        if number - before == 1 {
            turns.removeSubrange(open)
        } else if number - before - 1 == open.count {
            for (offset, index) in open.enumerated() {
                turns[index] = MastermindTurn(
                    turns[index].guess, .counted(number: before + 1 + offset))
            }
        }
    }

    private func unanswered(_ guess: [Int]) -> Int? {
        turns.lastIndex { $0.outcome == .unknown && $0.guess == guess }
    }
}
