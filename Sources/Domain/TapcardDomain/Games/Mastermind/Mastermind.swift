/// The size of a Mastermind game.
package struct MastermindRules: Hashable, Sendable {
    package let slots: Int
    /// The number of colors, which are numbered from 1.
    package let colors: Int

    package static let maximumSlots = 12
    package static let maximumColors = 12
    package static let defaultColors = 6
    /// The maximum length of a player's password, in bytes.
    package static let maximumPasswordBytes = 1_024
    /// The maximum number of guesses in a game: far more than any player needs.
    package static let maximumGuesses = 1_000_000
    /// The range of lifetimes that can be requested for a login, in seconds.
    package static let loginSeconds = 30...3_600

    package init(slots: Int, colors: Int = defaultColors) throws(Refusal) {
        guard (1...MastermindRules.maximumSlots).contains(slots),
            (2...MastermindRules.maximumColors).contains(colors)
        else {
            throw Refusal(
                .badGuess,
                "\(slots) slots with \(colors) colors is not possible; choose 1 to "
                    + "\(MastermindRules.maximumSlots) slots and 2 to "
                    + "\(MastermindRules.maximumColors) colors")
        }
        (self.slots, self.colors) = (slots, colors)
    }

    package func requireGuess(_ guess: [Int]) throws(Refusal) {
        guard guess.count == slots else {
            throw Refusal(
                .badGuess,
                "the guess must have \(slots == 1 ? "1 color" : "\(slots) colors"), not "
                    + "\(guess.count)"
            )
        }
        for color in guess where !(1...colors).contains(color) {
            throw Refusal(.badGuess, "color \(color) is not in the range 1 to \(colors)")
        }
    }
}

/// The evaluation of a guess.
package struct MastermindEvaluation: Hashable, Sendable {
    /// The number of pegs of the right color in the right place.
    package let black: Int
    /// The number of pegs of the right color in the wrong place.
    package let white: Int

    package init(black: Int, white: Int) { (self.black, self.white) = (black, white) }

    /// Compares a guess with the secret. Each peg in the secret matches at most one peg in the
    /// guess.
    package init(of guess: [Int], against secret: [Int]) {
        let black = zip(guess, secret).count { $0 == $1 }
        // For each color, how many pegs in the secret have not been matched yet.
        var unmatched: [Int: Int] = [:]
        for color in secret { unmatched[color, default: 0] += 1 }
        var common = 0
        for color in guess {
            guard let count = unmatched[color], count > 0 else { continue }
            unmatched[color] = count - 1
            common += 1
        }
        // `common` includes the pegs in the right place.
        self.init(black: black, white: common - black)
    }

    /// Whether this evaluation is possible in a game with this many slots. If all pegs but one are
    /// in the right place, the last one cannot have the right color in the wrong place, because
    /// only one place is left.
    package func isPossible(slots: Int) -> Bool {
        (0...slots).contains(black) && (0...slots).contains(white) && black + white <= slots
            && !(black == slots - 1 && white == 1)
    }
}

/// The service's ID for a game: 32 hexadecimal digits.
public struct MastermindGameID: Hashable, Sendable, CustomStringConvertible {
    /// The ID in lower case.
    public let text: String

    /// Parses an ID in upper or lower case; `nil` unless the text is 32 hexadecimal digits.
    public init?(_ text: String) {
        let lower = text.lowercased()
        guard lower.utf8.count == 32, lower.utf8.allSatisfy({ hexadecimalValue($0) != nil }) else {
            return nil
        }
        self.text = lower
    }

    public var description: String { text }
}

/// A game stored on a card or at a station.
public struct MastermindGame: Hashable, Sendable {
    /// The service's ID for the game.
    public let id: MastermindGameID
    /// The number of slots in a guess.
    public let slots: Int

    /// Creates a game.
    public init(id: MastermindGameID, slots: Int) { (self.id, self.slots) = (id, slots) }
}
