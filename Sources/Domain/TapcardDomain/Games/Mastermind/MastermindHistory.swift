/// A guess and what is known about its outcome.
package struct MastermindTurn: Hashable, Sendable {
    /// The outcome of a guess.
    package enum Outcome: Hashable, Sendable {
        case evaluated(MastermindEvaluation, number: Int)
        /// Later responses showed that the guess counted, but its evaluation never arrived.
        case counted(number: Int)
        /// The guess was sent, and the response may still arrive, unless the process waiting for it
        /// was killed.
        case asked
        /// The guess was sent, but no response arrived, so it may or may not have counted.
        case unknown
    }

    package let guess: [Int]
    package let outcome: Outcome

    package init(_ guess: [Int], _ outcome: Outcome) {
        (self.guess, self.outcome) = (guess, outcome)
    }

    /// The guess's number in its game, starting at 1; `nil` if it is unknown.
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

/// The guesses made here in one game, in order. The same game may also be played elsewhere, so the
/// numbers may have gaps.
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

    /// Records a guess that is about to be sent. From then on, it may count.
    package mutating func send(_ guess: [Int]) {
        self = MastermindHistory(turns + [MastermindTurn(guess, .asked)])
    }

    /// Removes a guess that the service did not process.
    package mutating func withdraw(_ guess: [Int]) {
        guard let index = waiting(guess) else { return }
        turns.remove(at: index)
    }

    /// Records that no response to a guess will arrive. The guess is moved to the end, because only
    /// the response to a guess sent later can prove that this guess did not count.
    package mutating func lose(_ guess: [Int]) {
        guard let index = waiting(guess), turns[index].outcome == .asked else { return }
        turns.remove(at: index)
        turns.append(MastermindTurn(guess, .unknown))
    }

    /// Records the evaluation of a guess. The guess's number also shows whether the service counted
    /// other guesses, for which no response has arrived.
    package mutating func answer(
        _ guess: [Int], _ evaluation: MastermindEvaluation, number: Int
    ) {
        let assumed = turns.firstIndex { $0.outcome == .counted(number: number) }
        let isSameGuess = assumed.map { turns[$0].guess == guess } ?? false
        let own = isSameGuess ? assumed : waiting(guess)
        if let assumed, assumed != own {
            // Another guess was assumed to have this number. If this guess was assumed to have a
            // different number, the other guess gets that one.
            let freed = own.flatMap { turns[$0].number }
            turns[assumed] = MastermindTurn(
                turns[assumed].guess, freed.map { .counted(number: $0) } ?? .unknown)
        }
        let turn = MastermindTurn(guess, .evaluated(evaluation, number: number))
        if let own {
            turns[own] = turn
        } else {
            self = MastermindHistory(turns + [turn])
        }
        resolve(below: number, at: own ?? turns.count - 1)
    }

    /// Resolves open guesses, which have no number yet. If exactly as many numbers below `number`
    /// are missing as there are open guesses, assigns them. If none is missing, removes guesses
    /// with an unknown outcome that were sent before the guess at `index`: they did not count.
    private mutating func resolve(below number: Int, at index: Int) {
        let open = turns.indices.filter { turns[$0].number == nil }
        guard let first = open.first else { return }
        // Numbers missing below this floor belong to guesses made elsewhere or can no longer be
        // assigned, because every open guess was sent later.
        let floor = turns[..<first].compactMap(\.number).max() ?? 0
        guard floor < number else { return }
        let taken = Set(turns.compactMap(\.number).filter { $0 > floor && $0 < number })
        let missing = number - floor - 1 - taken.count
        // Each open guess gets one of the numbers, in the order in which the guesses were sent.
        if missing == open.count {
            let free = ((floor + 1)..<number).lazy.filter { !taken.contains($0) }
            for (other, number) in zip(open, free) {
                turns[other] = MastermindTurn(turns[other].guess, .counted(number: number))
            }
        } else if missing == 0 {
            // If another process is still waiting for the response to a guess, that guess is kept,
            // because it may get the next number.
            let uncounted = Set(open.filter { $0 < index && turns[$0].outcome == .unknown })
            turns = turns.indices.filter { !uncounted.contains($0) }.map { turns[$0] }
        }
    }

    /// The index of the last turn with this guess whose response may still arrive. If there is
    /// none, the index of the last one that counted but whose evaluation is missing.
    private func waiting(_ guess: [Int]) -> Int? {
        turns.lastIndex { $0.guess == guess && $0.outcome == .asked }
            ?? turns.lastIndex { turn in
                if case .counted = turn.outcome { turn.guess == guess } else { false }
            }
    }
}
