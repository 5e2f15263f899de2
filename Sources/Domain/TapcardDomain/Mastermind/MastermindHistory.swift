/// A guess that was made, and what is known of it.
public struct MastermindTurn: Hashable, Sendable {
    /// What became of a guess.
    public enum Outcome: Hashable, Sendable {
        case evaluated(MastermindEvaluation, number: Int)
        /// It counted, as later answers showed; how near it came nobody has heard.
        case counted(number: Int)
        /// Sent, and the answer may still come, unless whoever waits for it was killed.
        case asked
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
        case .asked, .unknown: nil
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
        self = MastermindHistory(turns + [MastermindTurn(guess, .asked)])
    }

    /// It did not reach the game.
    public mutating func withdraw(_ guess: [Int]) {
        guard let index = waiting(guess) else { return }
        turns.remove(at: index)
    }

    /// No answer will come. It goes behind all others: only the answer to a guess that is asked
    /// from now on can say that it did not count.
    public mutating func lose(_ guess: [Int]) {
        guard let index = waiting(guess), turns[index].outcome == .asked else { return }
        turns.remove(at: index)
        turns.append(MastermindTurn(guess, .unknown))
    }

    /// Its evaluation came. The number that comes with it also says whether others that had no
    /// answer were counted.
    public mutating func answer(
        _ guess: [Int], _ evaluation: MastermindEvaluation, number: Int
    ) {
        let holder = turns.firstIndex { $0.outcome == .counted(number: number) }
        let isHolder = holder.map { turns[$0].guess == guess } ?? false
        let own = isHolder ? holder : waiting(guess)
        if let holder, holder != own {
            // Which of two came first was a guess: now it is known.
            let other = own.flatMap { turns[$0].number }
            turns[holder] = MastermindTurn(
                turns[holder].guess, other.map { .counted(number: $0) } ?? .unknown)
        }
        let turn = MastermindTurn(guess, .evaluated(evaluation, number: number))
        if let own {
            turns[own] = turn
        } else {
            self = MastermindHistory(turns + [turn])
        }
        settle(below: number, at: own ?? turns.count - 1)
    }

    /// Gives open guesses the numbers that nobody has where there are just as many of both, and
    /// takes those away for which no number is left.
    private mutating func settle(below number: Int, at place: Int) {
        let open = turns.indices.filter { turns[$0].number == nil }
        guard let first = open.first else { return }
        // What is missing below that was played elsewhere, or cannot be told any more.
        let floor = turns[..<first].compactMap(\.number).max() ?? 0
        guard floor < number else { return }
        let taken = Set(turns.compactMap(\.number).filter { $0 > floor && $0 < number })
        let missing = number - floor - 1 - taken.count
        if missing == open.count {
            let free = ((floor + 1)..<number).lazy.filter { !taken.contains($0) }
            for (index, number) in zip(open, free) {
                turns[index] = MastermindTurn(turns[index].guess, .counted(number: number))
            }
        } else if missing == 0 {
            // One that another process still waits for may yet get the next number.
            let gone = Set(open.filter { $0 < place && turns[$0].outcome == .unknown })
            turns = turns.indices.filter { !gone.contains($0) }.map { turns[$0] }
        }
    }

    /// The last such guess whose answer may still come, also where others were answered meanwhile
    /// and said that it counted.
    private func waiting(_ guess: [Int]) -> Int? {
        turns.lastIndex { $0.guess == guess && $0.outcome == .asked }
            ?? turns.lastIndex { turn in
                if case .counted = turn.outcome { turn.guess == guess } else { false }
            }
    }
}
