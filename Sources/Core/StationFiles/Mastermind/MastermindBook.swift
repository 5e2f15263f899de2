package import TapcardDomain
import TextCodecs

/// A Mastermind game stored at this station.
package struct SavedMastermindGame: Hashable, Sendable {
    /// The address of the service where the game is played.
    package let address: String
    package let game: MastermindGame
    package internal(set) var history: MastermindHistory

    package init(
        address: String, game: MastermindGame, history: MastermindHistory = MastermindHistory()
    ) {
        (self.address, self.game, self.history) = (address, game, history)
    }

    /// The number of the guess that solved the game; nil if it is not solved yet.
    package var solvedIn: Int? { history.solvedAt(slots: game.slots) }
}

/// The station's Mastermind data: the login and the games. It never contains a password.
struct MastermindBook: Hashable, Sendable {
    /// A logged-in user.
    struct Login: Hashable, Sendable {
        /// The service that issued the token; the token is never sent to any other service.
        let address: String
        let user: String
        let token: MastermindToken
        let timeToLive: Int?
    }

    /// The maximum number of games. If there are more, the least recently played games are dropped.
    static let maximumGames = 16
    static let formatPrefix = "tapcard mastermind "
    static let format = formatPrefix + "1"
    /// A placeholder for the number of a guess that the service has not evaluated yet.
    private static let asked = "asked"

    var login: Login?
    /// The games, most recently played last.
    private(set) var games: [SavedMastermindGame] = []
    private var currentID: MastermindGameID?

    init() {}

    /// The current game, if it is played on this service.
    func current(at address: String) -> SavedMastermindGame? {
        games.last { $0.address == address && $0.game.id == currentID }
    }

    /// The stored entry for a game; a new entry if the game is not stored.
    func saved(_ game: MastermindGame, at address: String) -> SavedMastermindGame {
        games.last { $0.address == address && $0.game == game }
            ?? SavedMastermindGame(address: address, game: game)
    }

    /// Stores a game as the most recently played one.
    mutating func save(_ game: SavedMastermindGame, asCurrent: Bool) {
        if asCurrent { currentID = game.game.id }
        games.removeAll { $0.address == game.address && $0.game.id == game.game.id }
        games.append(game)
        while games.count > MastermindBook.maximumGames {
            // The current game is never dropped, however long ago it was played.
            games.remove(at: games.firstIndex { $0.game.id != currentID } ?? 0)
        }
    }
}

extension MastermindBook {
    var document: JSONValue {
        [
            "format": .string(MastermindBook.format),
            "login": login.map { login in
                [
                    "address": .string(login.address), "user": .string(login.user),
                    "token": .string(login.token.secret),
                    "timeToLive": login.timeToLive.map { .number(String($0)) } ?? .null,
                ]
            } ?? .null,
            "current": currentID.map { .string($0.text) } ?? .null,
            "games": .array(
                games.map { saved in
                    [
                        "address": .string(saved.address), "id": .string(saved.game.id.text),
                        "slots": .number(String(saved.game.slots)),
                        "guesses": .array(saved.history.turns.map(MastermindBook.document)),
                    ]
                }),
        ]
    }

    /// A guess, its number, and its black and white pegs, in a compact form because there may be
    /// many guesses.
    private static func document(_ turn: MastermindTurn) -> JSONValue {
        func number(_ value: Int?) -> JSONValue { value.map { .number(String($0)) } ?? .null }
        return [
            .array(turn.guess.map { .number(String($0)) }),
            turn.outcome == .asked ? .string(asked) : number(turn.number),
            number(turn.evaluation?.black), number(turn.evaluation?.white),
        ]
    }

    /// Parses the stored data; nil if it is invalid.
    init?(_ document: JSONValue) {
        guard document["format"]?.string == MastermindBook.format,
            let games = document["games"]?.array, games.count <= MastermindBook.maximumGames
        else { return nil }
        switch document["login"] {
        case .null?: login = nil
        case let document?:
            guard let login = Login(document) else { return nil }
            self.login = login
        case nil: return nil
        }
        for document in games {
            guard let game = MastermindBook.game(document) else { return nil }
            self.games.append(game)
        }
        switch document["current"] {
        case .null?: currentID = nil
        case .string(let text)?:
            // A current game that is not stored has no guesses to show.
            guard let id = MastermindGameID(text), self.games.contains(where: { $0.game.id == id })
            else { return nil }
            currentID = id
        default: return nil
        }
    }

    private static func game(_ document: JSONValue) -> SavedMastermindGame? {
        guard let address = document["address"]?.string,
            let id = document["id"]?.string.flatMap(MastermindGameID.init),
            let slots = wholeNumber(document["slots"]), (try? MastermindRules(slots: slots)) != nil,
            let rows = document["guesses"]?.array, rows.count <= MastermindHistory.maximumTurns
        else { return nil }
        var turns: [MastermindTurn] = []
        for row in rows {
            guard let turn = turn(row, slots: slots) else { return nil }
            turns.append(turn)
        }
        return SavedMastermindGame(
            address: address, game: MastermindGame(id: id, slots: slots),
            history: MastermindHistory(turns))
    }

    private static func turn(_ row: JSONValue, slots: Int) -> MastermindTurn? {
        guard let parts = row.array, parts.count == 4, let colors = parts[0].array,
            colors.count == slots
        else { return nil }
        var guess: [Int] = []
        for color in colors {
            guard let color = wholeNumber(color),
                (1...MastermindRules.maximumColors).contains(color)
            else { return nil }
            guess.append(color)
        }
        switch (wholeNumber(parts[1]), wholeNumber(parts[2]), wholeNumber(parts[3])) {
        case (let number?, let black?, let white?):
            let evaluation = MastermindEvaluation(black: black, white: white)
            // If no guess can result in these pegs, the file is damaged.
            guard evaluation.isPossible(slots: slots), isNumber(number) else { return nil }
            return MastermindTurn(guess, .evaluated(evaluation, number: number))
        // The guess counted, but its evaluation was never received.
        case (let number?, nil, nil) where parts[2] == .null && parts[3] == .null:
            return isNumber(number) ? MastermindTurn(guess, .counted(number: number)) : nil
        case (nil, nil, nil) where parts[2] == .null && parts[3] == .null:
            switch parts[1] {
            case .null: return MastermindTurn(guess, .unknown)
            case .string(asked): return MastermindTurn(guess, .asked)
            default: return nil
            }
        default: return nil
        }
    }

    private static func isNumber(_ number: Int) -> Bool {
        (1...MastermindRules.maximumGuesses).contains(number)
    }

    private static func wholeNumber(_ value: JSONValue?) -> Int? {
        value?.numberText.flatMap { Int($0) }
    }
}

extension MastermindBook.Login {
    fileprivate init?(_ document: JSONValue) {
        guard let address = document["address"]?.string, let user = document["user"]?.string,
            let token = document["token"]?.string.flatMap(MastermindToken.init)
        else { return nil }
        switch document["timeToLive"] {
        case .null?: timeToLive = nil
        case .number(let text)?:
            guard let seconds = Int(text), MastermindRules.loginSeconds.contains(seconds) else {
                return nil
            }
            timeToLive = seconds
        default: return nil
        }
        (self.address, self.user, self.token) = (address, user, token)
    }
}
