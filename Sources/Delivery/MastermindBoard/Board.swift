import PasswordEntry
package import ServicePorts
package import TapcardDomain

/// A game of Mastermind as it lies before a player: a value that takes keys and answers, and says
/// what it wants of the service. It waits for nothing and draws nothing itself.
package struct Board: Hashable, Sendable {
    /// What the player can do at the moment.
    package enum Phase: Hashable, Sendable {
        /// There is no game yet; a start that failed can be tried again.
        case without
        case starting
        case choosing
        /// The guess is on its way. Who wants to leave then is asked once more.
        case asking(leaving: Bool)
        case solved(guesses: Int)
    }

    /// What lies over the game.
    package enum Page: Hashable, Sendable {
        case game
        case help
        case ranking(Ranking)
    }

    /// The token has expired and the password is wanted. What was typed is shown nowhere.
    package struct PasswordQuestion: Hashable, Sendable {
        package let user: String
        var typed = TypedPassword()
    }

    /// The ranking, as soon as it is there.
    package enum Ranking: Hashable, Sendable {
        case waiting
        case failed(String)
        case rows([MastermindRank], slots: Int)
    }

    /// What happens to a board.
    package enum Event: Sendable {
        case key(BoardKey)
        case resized(BoardSize)
        case started(MastermindGame, MastermindHistory)
        case startFailed(String)
        case answered(MastermindHistory)
        /// Also with what is known now: the guess may have counted all the same.
        case guessFailed(String, MastermindHistory?)
        case ranking([MastermindRank])
        case rankingFailed(String)
        case passwordWanted(user: String)
    }

    /// What a board asks for.
    package enum Request: Hashable, Sendable {
        case start(slots: Int)
        /// In the game that lies before the player, which another process may have left behind.
        case guess([Int], in: MastermindGame)
        case ranking
        /// Nil where the player does not want to give it.
        case password(String?)
        case leave
    }

    /// A line for the player.
    package struct Message: Hashable, Sendable {
        package enum Tone: Sendable { case plain, good, bad }

        package let tone: Tone
        package let text: String

        package init(tone: Tone, text: String) { (self.tone, self.text) = (tone, text) }
    }

    package internal(set) var rules: MastermindRules
    package internal(set) var game: MastermindGame?
    package internal(set) var history: MastermindHistory
    package internal(set) var phase: Phase
    package internal(set) var page = Page.game
    package internal(set) var question: PasswordQuestion?
    package internal(set) var message: Message?
    /// A colour for each slot that has one.
    package internal(set) var choice: [Int?]
    package internal(set) var cursor = 0
    /// Whether the last key was the digit of the last slot.
    var isAtEnd = false
    /// How many rows the game is scrolled back, or a page is scrolled on.
    package internal(set) var scroll = 0
    package internal(set) var size: BoardSize

    /// A game that goes on.
    package init(
        _ game: MastermindGame, _ history: MastermindHistory, rules: MastermindRules,
        size: BoardSize
    ) {
        (self.rules, self.size) = (rules, size)
        (self.game, self.history) = (game, history)
        choice = Array(repeating: nil, count: rules.slots)
        phase = .choosing
        settle()
    }

    /// No game yet: its first request is `.start`.
    package init(starting rules: MastermindRules, size: BoardSize) {
        (self.rules, self.size) = (rules, size)
        (game, history) = (nil, MastermindHistory())
        choice = Array(repeating: nil, count: rules.slots)
        phase = .starting
    }

    /// Takes an event, and says what is wanted of the service because of it.
    package mutating func take(_ event: Event) -> Request? {
        defer {
            if scroll != 0 { scroll = min(max(0, scroll), BoardScreen(self).mostScroll) }
        }
        switch event {
        case .key(let key): return take(key)
        case .resized(let size): self.size = size
        case .started(let game, let history): begin(game, history)
        case .startFailed(let text):
            phase = .without
            message = Message(tone: .bad, text: text)
        case .answered(let history): answer(history)
        case .guessFailed(let text, let history):
            fail(history)
            settle()
            message = Message(tone: .bad, text: text)
        case .ranking(let rows):
            guard case .ranking = page else { return nil }
            page = .ranking(.rows(rows, slots: rules.slots))
            scroll = 0
        case .rankingFailed(let text):
            guard case .ranking = page else { return nil }
            page = .ranking(.failed(text))
            scroll = 0
        case .passwordWanted(let user): question = PasswordQuestion(user: user)
        }
        return nil
    }

    private mutating func begin(_ game: MastermindGame, _ history: MastermindHistory) {
        guard let rules = try? MastermindRules(slots: game.slots, colours: rules.colours) else {
            phase = .without
            message = Message(tone: .bad, text: "The service began a game of \(game.slots) slots.")
            return
        }
        self.rules = rules
        (self.game, self.history) = (game, history)
        clearRow()
        (scroll, phase, message) = (0, .choosing, nil)
        settle()
    }

    /// What was chosen stays only where it is known not to count: one key more would send it
    /// once again.
    private mutating func fail(_ known: MastermindHistory?) {
        let isKept = known.map { unanswered(in: $0) <= unanswered(in: history) } ?? false
        if !isKept { clearRow() }
        history = known ?? history
        (scroll, phase) = (0, .choosing)
    }

    /// How often what is chosen stands there as a guess that may have counted.
    private func unanswered(in history: MastermindHistory) -> Int {
        history.turns.count { $0.number == nil && $0.guess == choice.compactMap { $0 } }
    }

    mutating func clearRow() {
        choice = Array(repeating: nil, count: rules.slots)
        (cursor, isAtEnd) = (0, false)
    }

    private mutating func answer(_ history: MastermindHistory) {
        self.history = history
        clearRow()
        (scroll, phase) = (0, .choosing)
        if let evaluation = history.turns.last?.evaluation {
            message = Message(
                tone: .plain, text: "\(evaluation.black) black, \(evaluation.white) white.")
        }
        settle()
    }

    /// A game that is solved takes no more guesses.
    private mutating func settle() {
        guard let guesses = history.solvedAt(slots: rules.slots) else { return }
        phase = .solved(guesses: guesses)
        let words = guesses == 1 ? "the first guess" : "\(guesses) guesses"
        message = Message(tone: .good, text: "Solved with \(words)! n starts a new game.")
    }
}
