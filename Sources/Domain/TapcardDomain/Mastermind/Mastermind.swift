/// How large a game of Mastermind is.
public struct MastermindRules: Hashable, Sendable {
    public let slots: Int
    /// Colours are numbered from 1 to this.
    public let colours: Int

    public static let mostSlots = 12
    public static let mostColours = 12
    public static let usualColours = 6
    /// Bytes of a player's password.
    public static let longestPassword = 1_024
    /// More than anyone makes.
    public static let mostGuesses = 1_000_000
    /// For how many seconds a login can be asked for.
    public static let loginSeconds = 30...3_600

    public init(slots: Int, colours: Int = usualColours) throws(Refusal) {
        guard (1...MastermindRules.mostSlots).contains(slots),
            (2...MastermindRules.mostColours).contains(colours)
        else {
            throw Refusal(
                .badGuess,
                "\(slots) slots with \(colours) colours are no game; it has 1 to "
                    + "\(MastermindRules.mostSlots) slots and 2 to "
                    + "\(MastermindRules.mostColours) colours")
        }
        (self.slots, self.colours) = (slots, colours)
    }

    public func requireGuess(_ guess: [Int]) throws(Refusal) {
        guard guess.count == slots else {
            throw Refusal(.badGuess, "a guess has \(slots) colours, not \(guess.count)")
        }
        for colour in guess where !(1...colours).contains(colour) {
            throw Refusal(.badGuess, "there is no colour \(colour); they are 1 to \(colours)")
        }
    }
}

/// How near a guess came.
public struct MastermindEvaluation: Hashable, Sendable {
    /// The right colour in the right place.
    public let black: Int
    /// The right colour in a wrong place.
    public let white: Int

    public init(black: Int, white: Int) { (self.black, self.white) = (black, white) }

    /// Holds a guess against the secret. Each peg of the secret counts for one of the guess.
    public init(of guess: [Int], against secret: [Int]) {
        let black = zip(guess, secret).count { $0 == $1 }
        var left: [Int: Int] = [:]
        for colour in secret { left[colour, default: 0] += 1 }
        var common = 0
        for colour in guess {
            guard let count = left[colour], count > 0 else { continue }
            left[colour] = count - 1
            common += 1
        }
        self.init(black: black, white: common - black)
    }

    /// Whether a game of so many slots can have it. Where all but one are right, there is no other
    /// place for the last one.
    public func isPossible(slots: Int) -> Bool {
        (0...slots).contains(black) && (0...slots).contains(white) && black + white <= slots
            && !(black == slots - 1 && white == 1)
    }
}

/// What the service calls a game: 32 hexadecimal digits.
public struct MastermindGameID: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public init?(_ text: String) {
        let lower = text.lowercased()
        guard lower.utf8.count == 32, lower.utf8.allSatisfy({ hexadecimalValue($0) != nil }) else {
            return nil
        }
        self.text = lower
    }

    public var description: String { text }
}

/// A game that is kept: on a card, or at a station.
public struct MastermindGame: Hashable, Sendable {
    public let id: MastermindGameID
    public let slots: Int

    public init(id: MastermindGameID, slots: Int) { (self.id, self.slots) = (id, slots) }
}
