import TapcardDomain
import Testing

@Suite("Mastermind rules")
struct MastermindTests {
    /// Counts black pegs first, and then the colors that both codes have, without the black ones.
    static func reference(_ guess: [Int], _ secret: [Int]) -> MastermindEvaluation {
        let black = guess.indices.count { guess[$0] == secret[$0] }
        let common = Set(guess).reduce(0) { sum, color in
            sum + min(guess.count { $0 == color }, secret.count { $0 == color })
        }
        return MastermindEvaluation(black: black, white: common - black)
    }

    static func all(_ slots: Int, _ colors: Int) -> [[Int]] {
        (0..<slots).reduce([[]]) { codes, _ in
            codes.flatMap { code in (1...colors).map { code + [$0] } }
        }
    }

    @Test(
        "Every guess is evaluated correctly against every secret",
        arguments: [(1, 6), (2, 6), (3, 6), (4, 3), (4, 4), (5, 2)])
    func everyPair(slots: Int, colors: Int) {
        let codes = Self.all(slots, colors)
        for secret in codes {
            for guess in codes {
                let found = MastermindEvaluation(of: guess, against: secret)
                #expect(found == Self.reference(guess, secret), "\(guess) \(secret)")
                #expect((found.black == slots) == (guess == secret))
                #expect(found == MastermindEvaluation(of: secret, against: guess))
            }
        }
    }

    @Test(
        "An evaluation is possible only if some guess and secret give it",
        arguments: [(1, 6), (2, 6), (3, 4), (4, 4)])
    func possible(slots: Int, colors: Int) {
        let codes = Self.all(slots, colors)
        var found: Set<MastermindEvaluation> = []
        for secret in codes {
            for guess in codes { found.insert(MastermindEvaluation(of: guess, against: secret)) }
        }
        for black in -1...slots + 1 {
            for white in -1...slots + 1 {
                let evaluation = MastermindEvaluation(black: black, white: white)
                #expect(evaluation.isPossible(slots: slots) == found.contains(evaluation))
            }
        }
        for (black, white) in [(Int.max, 1), (1, .max), (.min, .min), (.max, .max)] {
            let evaluation = MastermindEvaluation(black: black, white: white)
            #expect(!evaluation.isPossible(slots: slots))
        }
    }

    @Test("Guesses of the wrong length or color and impossible sizes are refused")
    func refusals() throws {
        let rules = try MastermindRules(slots: 4)
        #expect(throws: Never.self) { try rules.requireGuess([1, 6, 1, 6]) }
        for guess in [
            [], [1, 2, 3], [1, 2, 3, 4, 5], [0, 1, 2, 3], [1, 2, 3, 7], [1, 2, 3, -1],
        ] {
            #expect(throws: Refusal(.badGuess, "")) { try rules.requireGuess(guess) }
        }
        for (slots, colors) in [(0, 6), (13, 6), (-1, 6), (4, 1), (4, 13), (.max, 6)] {
            #expect(throws: Refusal(.badGuess, "")) {
                try MastermindRules(slots: slots, colors: colors)
            }
        }
    }

    @Test("A game id has 32 hexadecimal digits")
    func gameID() {
        let text = "4492936ae8ce8a711e01c30d30f884ed"
        #expect(MastermindGameID(text)?.text == text)
        #expect(MastermindGameID(text.uppercased())?.text == text)
        for bad in [
            "", String(text.dropLast()), text + "0", "g" + text.dropFirst(),
            "\u{0}" + text.dropFirst(),
        ] {
            #expect(MastermindGameID(bad) == nil)
        }
    }
}
