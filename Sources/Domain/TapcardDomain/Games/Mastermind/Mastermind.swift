/// The size of a game of Mastermind.
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
    /// The lifetimes that can be requested for a login, in seconds.
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

    /// Compares the guess with the secret. Each peg of the secret is matched with at most one peg
    /// of the guess.
    package init(of guess: [Int], against secret: [Int]) {
        let black = zip(guess, secret).count { $0 == $1 }
        // How many pegs of each color in the secret have not been matched yet.
        var left: [Int: Int] = [:]
        for color in secret { left[color, default: 0] += 1 }
        var common = 0
        for color in guess {
            guard let count = left[color], count > 0 else { continue }
            left[color] = count - 1
            common += 1
        }
        // The common pegs include those in the right place.
        self.init(black: black, white: common - black)
    }

    /// Whether a guess in a game with this many slots can have this evaluation. If all pegs but one
    /// are in the right place, the last peg cannot be of the right color in the wrong place: only
    /// one place is left.
    package func isPossible(slots: Int) -> Bool {
        (0...slots).contains(black) && (0...slots).contains(white) && black + white <= slots
            && !(black == slots - 1 && white == 1)
    }
}

/// The service's ID for a game: 32 hexadecimal digits.
public struct MastermindGameID: Hashable, Sendable, CustomStringConvertible {
    /// The ID in lower case.
    public let text: String

    /// Reads an ID in upper or lower case; `nil` unless the text is 32 hexadecimal digits.
    public init?(_ text: String) {
        let lower = text.lowercased()
        guard lower.utf8.count == 32, lower.utf8.allSatisfy({ hexadecimalValue($0) != nil }) else {
            return nil
        }
        self.text = lower
    }

    public var description: String { text }
}

/// A game that is stored on a card or at a station.
public struct MastermindGame: Hashable, Sendable {
    /// The service's ID for the game.
    public let id: MastermindGameID
    /// The number of slots in a guess.
    public let slots: Int

    /// Creates a game.
    public init(id: MastermindGameID, slots: Int) { (self.id, self.slots) = (id, slots) }
}
