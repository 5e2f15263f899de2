import Ledger
import StationFiles
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<String> {
    fileprivate static var user: Self {
        .argument("USER", .text(1...256), "User name for the Mastermind service")
    }
}

extension Parameter<String?> {
    fileprivate static var password: Self {
        .secret("password", .text(1...MastermindRules.maximumPasswordBytes))
    }
}

extension Parameter<Int?> {
    fileprivate static var timeToLive: Self {
        .option(
            "time-to-live", "SECONDS", number(MastermindRules.loginSeconds),
            "Login lifetime, \(MastermindRules.loginSeconds.words) (default: the service's)")
    }
    fileprivate static var slots: Self {
        let range = 1...MastermindRules.maximumSlots
        return .option(
            "slots", "N", number(range),
            "Number of slots, \(range.words) (default \(MastermindCommands.defaultSlots))")
    }

    /// A number whose limits apply only on pages. On the command line, the game's rules reject
    /// invalid numbers.
    private static func number(_ limits: ClosedRange<Int>) -> ValueType<Int> {
        .wholeNumber(limits, orSay: "Nothing was sent.", forPagesOnly: true)
    }
}

extension Parameter<Bool> {
    fileprivate static var keep: Self {
        .flag("keep", "Also store the game on the card, replacing any game there")
    }
}

extension Parameter<[[Int]]> {
    fileprivate static var colors: Self {
        .arguments(
            "COLOR", .colors(1...MastermindRules.maximumSlots),
            "Colors 1 to 6, one per slot, such as `1 5 2 5` or `1525`", page: .other("colors"))
    }
}

extension Command {
    static let mastermindCommands: [Command] = [
        Command(
            "mastermind login", group: .mastermind, "Log in to the Mastermind service",
            discussion: "Before first use, confirm the service's address with `tapcard config set "
                + "mastermind-url ADDRESS`. The password is read from "
                + "`TAPCARD_MASTERMIND_PASSWORD` or typed at a prompt, and is never stored. When "
                + "the login expires, the next command that needs a login logs in again the same "
                + "way.",
            takes: .user, .timeToLive, .password,
            asks: .mastermindURL, page: .post("mastermind/login", reader: .never, for: .sellers),
            answers: .login,
            example: "tapcard mastermind login amanda --time-to-live 600",
            run: MastermindCommands.logIn),
        Command(
            "mastermind start", group: .mastermind, "Start a new game",
            discussion: "You need to be logged in. The new game becomes the current game; earlier "
                + "games are saved. With `--keep`, the game starts even if it cannot be stored on "
                + "the card.",
            takes: .slots, .keep, asks: .mastermindURL,
            page: .post("mastermind/start", reader: .with(.keep), for: .sellers), answers: .game,
            example: "tapcard mastermind start --slots 4", run: MastermindCommands.start),
        Command(
            "mastermind guess", group: .mastermind, "Make one guess in the current game",
            discussion: "Black is the number of right colors in the right place; white is the "
                + "number of right colors in the wrong place. If the response is lost, the guess "
                + "may have been counted, so it is not sent again.",
            takes: .colors,
            asks: .mastermindURL, page: .post("mastermind/guess", reader: .never, for: .sellers),
            answers: .guess,
            example: "tapcard mastermind guess 1 5 2 5 6 1", run: MastermindCommands.guess),
        Command(
            "mastermind show", group: .mastermind, "Show the current game and its guesses",
            discussion: "The game is stored on this machine, so the service is not contacted.",
            page: .get("mastermind/game", reader: .never, for: .sellers), answers: .board,
            example: "tapcard mastermind show", run: MastermindCommands.show),
        Command(
            "mastermind ranking", group: .mastermind, "Show the best players, fewest guesses first",
            discussion: "You need to be logged in.",
            takes: .slots.withHelp("Only games with N slots (default: all games)"),
            asks: .mastermindURL, page: .get("mastermind/ranking", reader: .never, for: .sellers),
            answers: .ranking,
            example: "tapcard mastermind ranking --slots 4", run: MastermindCommands.ranking),
        Command(
            "mastermind resume", group: .mastermind, "Resume the game stored on the card",
            discussion: "It becomes the current game; the service is not contacted. Any operation "
                + "that an earlier tap left open on the card is resolved.",
            page: .post("mastermind/resume", for: .sellers), answers: .game,
            example: "tapcard mastermind resume",
            run: MastermindCommands.resume),
    ]
}

enum MastermindCommands {
    fileprivate static let defaultSlots = 6

    /// The stored Mastermind games and the service.
    private static func play(in session: Session) throws(TapcardError) -> MastermindPlay {
        try session.places.makeDataFolder()
        return MastermindPlay(
            path: session.settings.dataFolder + "/mastermind.json",
            address: try session.settings.mastermindAddress.text,
            service: try session.services().mastermind,
            password: { user throws(TapcardError) in try await password(user, in: session) },
            note: { session.say("tapcard: \($0.shown)\n") })
    }

    /// The password from the page, the environment, or the keyboard; nil if there is none.
    private static func password(
        _ user: String, in session: Session
    ) async throws(TapcardError) -> String? {
        if let password = session[.password] { return password }
        if let password = try session.settings.mastermindPassword { return password }
        // If there is no terminal, there is nobody to prompt.
        guard let promptHidden = session.console.promptHidden else { return nil }
        if let password = await promptHidden("Password for \(user.shown): ") { return password }
        throw TapcardError(.cancelled, "Canceled.", meaning: "Nothing was sent.")
    }

    static func logIn(in session: Session) async throws(TapcardError) -> Report {
        let user = session[.user]
        let timeToLive = session[.timeToLive]
        // Invalid values are rejected before the user types the password.
        try MastermindPlay.requireLogin(user, timeToLive)
        let play = try play(in: session)
        guard let password = try await password(user, in: session) else {
            throw .missing(
                "password", "TAPCARD_MASTERMIND_PASSWORD", meaning: "Nothing was sent.")
        }
        try await play.logIn(as: user, password: password, timeToLive: timeToLive)
        return Report(
            ["user": .string(user), "timeToLive": .number(timeToLive)],
            ["Logged in to Mastermind as \(user)"], isChange: true)
    }

    static func start(in session: Session) async throws(TapcardError) -> Report {
        let slots = session[.slots] ?? defaultSlots
        let play = try play(in: session)
        // The station is opened first, so that a failure does not leave a new game on the service.
        let station = session[.keep] ? try await session.station() : nil
        let saved = try await play.start(slots: slots)
        var uid: CardUID?
        var resolved: [ResolvedOperation] = []
        var problem: TapcardError?
        if let station {
            do {
                let receipt = try await station.saveGame(saved.game, id: station.newID())
                (uid, resolved) = (receipt.uid, receipt.resolved)
            } catch {
                // The error is not thrown, because the service has the new game, so the game's ID
                // must be shown.
                resolved = error.resolved
                problem = TapcardError(
                    error.kind, error.what,
                    meaning:
                        "The game has started and is now this machine's current game, but it could "
                        + "not be stored on the card.",
                    next: error.next, uid: error.uid)
            }
        }
        let slotWords = slots == 1 ? "1 slot" : "\(slots) slots"
        return Report(
            saved.members + ["uid": .text(uid), "resolved": .resolved(resolved)],
            [
                "Started a game with \(slotWords)", "Game \(saved.game.id)",
                uid.map {
                    "Game stored on card \($0); to continue it elsewhere, run: tapcard mastermind "
                        + "resume"
                }
                    ?? "To make a guess, run, for example: tapcard mastermind guess "
                    + "\(saved.game.firstGuess)",
            ] + Report.words(resolved: resolved), problem: problem, isChange: true)
    }

    static func guess(in session: Session) async throws(TapcardError) -> Report {
        // The colors may have been typed as one word or as several.
        let colors = Array(session[.colors].joined())
        let play = try play(in: session)
        let saved = try await play.guess(colors)
        // The last match is used, because the same guess may have been made before.
        guard let turn = saved.history.turns.last(where: { $0.guess == colors }),
            let evaluation = turn.evaluation, let number = turn.number
        else {
            throw TapcardError(
                .failed, "The guess was recorded, but the service's response to it is missing.")
        }
        var lines = ["\(evaluation.black) black, \(evaluation.white) white"]
        if saved.solvedIn != nil { lines[0] = "Solved on guess \(number): " + lines[0] }
        lines += saved.history.turns.map(Report.line(of:)) + ["Game \(saved.game.id)"]
        return Report(
            [
                "game": .text(saved.game.id), "black": .number(evaluation.black),
                "white": .number(evaluation.white), "guesses": .number(number),
                "slots": .number(saved.game.slots), "solved": .bool(saved.solvedIn != nil),
            ], lines, isChange: true)
    }

    static func show(in session: Session) async throws(TapcardError) -> Report {
        let play = try play(in: session)
        let user = JSONValue.text(try play.user())
        guard let saved = try play.currentGame() else {
            return Report(
                ["user": user, "game": .null],
                ["No current game; to start one, run: tapcard mastermind start"], isPlain: true)
        }
        let turns = saved.history.turns
        return Report(
            ["user": user] + saved.members + [
                "colors": .number(MastermindRules.defaultColors),
                "turns": turns.document,
            ],
            ["Game \(saved.game.id), \(saved.game.slots) slots"]
                + turns.map(Report.line(of:)) + Report.words(of: saved), isPlain: true)
    }

    static func ranking(in session: Session) async throws(TapcardError) -> Report {
        let slots = session[.slots]
        let rows = try await play(in: session).ranking().ranked(slots: slots)
        // Other players choose these names, and unusual characters would break the columns.
        let names = rows.map { $0.name.fixedWidth.cellCount }.max() ?? 0
        let scores = rows.map { String($0.score).count }.max() ?? 0
        return Report(
            ["ranking": rows.document],
            rows.isEmpty
                ? ["Nobody has solved a game" + (slots.map { " with \($0) slots" } ?? "") + " yet"]
                : rows.map { row in
                    let score = String(row.score)
                    return row.name.fixedWidth.padded(names) + "  "
                        + score.padded(scores, atStart: true)
                        + (row.score == 1 ? " guess,   " : " guesses, ")
                        + "\(row.slots) slots".padded(8) + "  \(row.time)"
                }, isPlain: true)
    }

    static func resume(in session: Session) async throws(TapcardError) -> Report {
        let play = try play(in: session)
        let (card, game) = try await session.station().savedGame()
        guard let game else {
            throw TapcardError(
                .refusal(.wrongState), "The card on the reader has no game.",
                meaning: "Nothing was changed.",
                next: [.service(.saveGame)], uid: card.uid)
        }
        let saved = try play.resume(game)
        return Report(
            saved.members + ["uid": .text(card.uid), "resolved": .resolved(card.resolved)],
            ["Game \(game.id) from the card is now the current game"] + Report.words(of: saved) + [
                "Card \(card.uid)"
            ]
                + Report.words(resolved: card.resolved), isChange: true)
    }
}

extension Report {
    /// The progress of a game in words.
    fileprivate static func words(of saved: SavedMastermindGame) -> [String] {
        let count = saved.history.guessCount
        let words = count == 1 ? "1 guess" : "\(count) guesses"
        if saved.solvedIn != nil { return ["Solved in \(words)"] }
        return ["\(words) so far. To continue, run tapcard mastermind guess."]
    }

    fileprivate static func line(of turn: MastermindTurn) -> String {
        let number = (turn.number.map(String.init) ?? "?").padded(4, atStart: true)
        let pegs = turn.evaluation.map { "\($0.black) black, \($0.white) white" }
        return number + "  " + turn.guess.map(String.init).joined(separator: " ") + "  "
            + (pegs ?? "lost; may have counted")
    }
}

extension MastermindGame {
    /// An example guess with the right length (1, 2, 3 ... repeated) for the `mastermind start`
    /// hint.
    fileprivate var firstGuess: String {
        (0..<slots).map { String($0 % MastermindRules.defaultColors + 1) }.joined()
    }
}

extension SavedMastermindGame: DocumentedObject {
    private static let slots = Schema.number(1...MastermindRules.maximumSlots)

    static let fields: Fields<SavedMastermindGame> = [
        "game": .of(\.game.id), "slots": .of(slots, \.game.slots),
        "guesses": .of(\.history.guessCount), "solved": .of { $0.solvedIn != nil },
    ]
}

extension MastermindTurn: DocumentedObject {
    static let fields: Fields<MastermindTurn> = [
        "guess": .of(\.guess), "number": .of(\.number), "black": .of { $0.evaluation?.black },
        "white": .of { $0.evaluation?.white },
    ]
}

extension MastermindRank: DocumentedObject {
    static let fields: Fields<MastermindRank> = [
        "name": .of(\.name), "score": .of(\.score), "slots": .of(\.slots), "time": .of(\.time),
        "participant": .of(\.participant), "id": .of(\.id), "icons": .of(\.icons),
    ]
}

extension [MastermindRank] {
    /// The ranking of games with the given number of slots, or of all games, sorted by slots, then
    /// by guesses (fewest first), then by time (earliest first).
    fileprivate func ranked(slots: Int?) -> [MastermindRank] {
        filter { slots == nil || $0.slots == slots }.sorted {
            ($0.slots, $0.score, $0.time) < ($1.slots, $1.score, $1.time)
        }
    }
}
