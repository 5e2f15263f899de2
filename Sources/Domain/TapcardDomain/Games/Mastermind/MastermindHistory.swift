/// A guess that was made, and what is known of its outcome.
package struct MastermindTurn: Hashable, Sendable {
    /// The outcome of a guess.
    package enum Outcome: Hashable, Sendable {
        case evaluated(MastermindEvaluation, number: Int)
        /// Later answers showed that the guess counted, but its evaluation was never received.
        case counted(number: Int)
        /// The guess was sent, and the answer may still arrive, unless the process that waits for
        /// it was killed.
        case asked
        /// The guess was sent, but no answer arrived: it may or may not have counted.
        case unknown
    }

    package let guess: [Int]
    package let outcome: Outcome

    package init(_ guess: [Int], _ outcome: Outcome) {
        (self.guess, self.outcome) = (guess, outcome)
    }

    /// The guess's number in its game, starting at 1; `nil` if it is not known.
    package var number: Int? {
        switch outcome {
        case .evaluated(_, let number), .counted(let number): number
        case .asked, .unknown: nil
        }
    }

    package var evaluation: MastermindEvaluation? {
        if case .evaluated(let evaluation, _) = outcome { evaluation } else { nil }
    }
}

/// The guesses that were made here in one game, in order. The same game may also be played
/// elsewhere, which leaves gaps between the numbers.
package struct MastermindHistory: Hashable, Sendable {
    /// The maximum number of turns; if there are more, the oldest are dropped.
    package static let maximumTurns = 1_000

    package private(set) var turns: [MastermindTurn]

    package init(_ turns: [MastermindTurn] = []) {
        self.turns = Array(turns.suffix(MastermindHistory.maximumTurns))
    }

    /// The number of guesses that the service is known to have counted.
    package var guessCount: Int { turns.compactMap(\.number).max() ?? 0 }

    /// The number of the guess that solved the game; `nil` if no known guess did.
    package func solvedAt(slots: Int) -> Int? {
        turns.first { $0.evaluation?.black == slots }?.number
    }

    /// Records a guess that is about to be sent: from now on, it may count.
    package mutating func ask(_ guess: [Int]) {
        self = MastermindHistory(turns + [MastermindTurn(guess, .asked)])
    }

    /// Removes a guess that did not reach the game.
    package mutating func withdraw(_ guess: [Int]) {
        guard let index = waiting(guess) else { return }
        turns.remove(at: index)
    }

    /// Records that no answer to a guess will arrive. The guess is moved to the end, because only
    /// the answer to a guess sent later can prove that this guess did not count.
    package mutating func lose(_ guess: [Int]) {
        guard let index = waiting(guess), turns[index].outcome == .asked else { return }
        turns.remove(at: index)
        turns.append(MastermindTurn(guess, .unknown))
    }

    /// Records an evaluation. Its number also shows whether the service counted other guesses whose
    /// answers are missing.
    package mutating func answer(
        _ guess: [Int], _ evaluation: MastermindEvaluation, number: Int
    ) {
        let holder = turns.firstIndex { $0.outcome == .counted(number: number) }
        let isHolder = holder.map { turns[$0].guess == guess } ?? false
        let own = isHolder ? holder : waiting(guess)
        if let holder, holder != own {
            // Another guess was assumed to have this number. It gets this guess's number instead,
            // if there is one.
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
        resolve(below: number, at: own ?? turns.count - 1)
    }

    /// Assigns the numbers that are still missing below this one if there are exactly as many as
    /// open guesses. If no number is missing, removes guesses of unknown outcome that were sent
    /// earlier: they did not count.
    private mutating func resolve(below number: Int, at index: Int) {
        let open = turns.indices.filter { turns[$0].number == nil }
        guard let first = open.first else { return }
        // Numbers missing up to this floor belong to guesses made elsewhere or can no longer be
        // assigned, because every open guess was sent later.
        let floor = turns[..<first].compactMap(\.number).max() ?? 0
        guard floor < number else { return }
        let taken = Set(turns.compactMap(\.number).filter { $0 > floor && $0 < number })
        let missing = number - floor - 1 - taken.count
        // There are as many numbers as guesses, so each guess gets one, in the order of sending.
        if missing == open.count {
            let free = ((floor + 1)..<number).lazy.filter { !taken.contains($0) }
            for (other, number) in zip(open, free) {
                turns[other] = MastermindTurn(turns[other].guess, .counted(number: number))
            }
        } else if missing == 0 {
            // A guess whose answer another process is still waiting for stays: it may get the next
            // number.
            let uncounted = Set(open.filter { $0 < index && turns[$0].outcome == .unknown })
            turns = turns.indices.filter { !uncounted.contains($0) }.map { turns[$0] }
        }
    }

    /// The index of the last identical guess whose answer may still arrive. If there is none, the
    /// last one that is known to have counted, but whose evaluation is missing.
    private func waiting(_ guess: [Int]) -> Int? {
        turns.lastIndex { $0.guess == guess && $0.outcome == .asked }
            ?? turns.lastIndex { turn in
                if case .counted = turn.outcome { turn.guess == guess } else { false }
            }
    }
}
