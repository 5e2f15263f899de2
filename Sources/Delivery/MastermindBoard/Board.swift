package import Games
import PasswordEntry
package import ServicePorts

/// The state of a Mastermind board: a value that takes keys and answers and returns requests to the
/// service. It neither waits nor draws.
package struct Board: Hashable, Sendable {
    /// The actions available to the player.
    package enum Phase: Hashable, Sendable {
        /// No game exists yet; a failed start can be retried.
        case without
        case starting
        case choosing
        /// The guess is under way. A player who wants to leave is asked to confirm.
        case asking(leaving: Bool)
        case solved(guesses: Int)
    }

    /// A page over the game.
    package enum Page: Hashable, Sendable {
        case game
        case help
        case ranking(Ranking)
    }

    /// The token has expired and the password is needed. The typed text is never shown.
    package struct PasswordQuestion: Hashable, Sendable {
        package let user: String
        var typed = TypedPassword()
    }

    /// The ranking, once it has arrived.
    package enum Ranking: Hashable, Sendable {
        case waiting
        case failed(String)
        case rows([MastermindRank], slots: Int)
    }

    /// An input of a board.
    package enum Event: Sendable {
        case key(BoardKey)
        case resized(BoardSize)
        case started(MastermindGame, MastermindHistory)
        case startFailed(String)
        case answered(MastermindHistory)
        /// A failed guess, with the history known now: the guess may have counted all the same.
        case guessFailed(String, MastermindHistory?)
        case ranking([MastermindRank])
        case rankingFailed(String)
        case passwordWanted(user: String)
    }

    /// A request of a board.
    package enum Request: Hashable, Sendable {
        case start(slots: Int)
        /// A guess in the game on the board, which another process may have started.
        case guess([Int], in: MastermindGame)
        case ranking
        /// The password; nil when the player refuses to give it.
        case password(String?)
        case leave
    }

    /// A message for the player.
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
    /// The chosen colours by slot; nil for an empty slot.
    package internal(set) var choice: [Int?]
    package internal(set) var cursor = 0
    /// Whether the last key filled the last slot.
    var isAtEnd = false
    /// The rows by which the game is scrolled back, or a page is scrolled on.
    package internal(set) var scroll = 0
    package internal(set) var size: BoardSize

    /// Resumes a game.
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

    /// Starts without a game: the first request is `.start`.
    package init(starting rules: MastermindRules, size: BoardSize) {
        (self.rules, self.size) = (rules, size)
        (game, history) = (nil, MastermindHistory())
        choice = Array(repeating: nil, count: rules.slots)
        phase = .starting
    }

    /// Handles an event and returns the request to the service that follows from it.
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

    /// Keeps the choice only when it is known not to count: otherwise one more key would send it
    /// twice.
    private mutating func fail(_ known: MastermindHistory?) {
        let isKept = known.map { unanswered(in: $0) <= unanswered(in: history) } ?? false
        if !isKept { clearRow() }
        history = known ?? history
        (scroll, phase) = (0, .choosing)
    }

    /// The number of times the choice occurs as a guess that may have counted.
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

    /// Sets the phase; a solved game takes no more guesses.
    private mutating func settle() {
        guard let guesses = history.solvedAt(slots: rules.slots) else { return }
        phase = .solved(guesses: guesses)
        let words = guesses == 1 ? "the first guess" : "\(guesses) guesses"
        message = Message(tone: .good, text: "Solved with \(words)! n starts a new game.")
    }
}
