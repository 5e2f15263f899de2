import Games
import MastermindBoard
import MastermindGames
import ServicePorts
import StyledText
import TapcardCore
import TapcardDomain
import TerminalControl
import TextCodecs

extension Session {
    /// Whether the terminal can show a board and read keys.
    var hasBoard: Bool {
        console.isTerminal && console.keyboard != nil && !manner.isDumb
    }

    func requireBoard() throws(TapcardError) {
        guard hasBoard, !isJSON, !isQuiet else {
            throw TapcardError(
                .usage, "The board needs a terminal, and a person at it.",
                meaning: "Nothing was sent.", advice: "Use tapcard mastermind guess instead.")
        }
    }

    /// Plays until the player leaves; the game is kept here and at the service.
    func playMastermind() async throws(TapcardError) -> Report {
        guard let keyboard = console.keyboard else { throw Session.noBoard("there is no keyboard") }
        let game = BoardGame(console: console, hasColour: manner.hasColor(console.isTerminal))
        let desk = try mastermind { user throws(TapcardError) in
            if let password = try settings.mastermindPassword { return password }
            return await game.askForPassword(of: user)
        }
        try desk.requireLoggedIn()
        let current = try desk.currentGame()
        let ending: BoardGame.Ending
        do {
            ending = try await keyboard.withScreen { screen in
                await game.play(current, with: desk, on: screen)
            }
        } catch {
            throw Session.noBoard(error.detail)
        }
        guard case .left(let last) = ending else {
            throw TapcardError(
                .cancelled, "Stopped.", meaning: "The game stays as it is.",
                advice: "tapcard mastermind play goes on with it.")
        }
        guard let last else { return Report([:], ["No game"]) }
        return Report([:], ["Game \(last.id)"] + Report.words(of: try desk.kept(last)))
    }

    private static func noBoard(_ why: String) -> TapcardError {
        TapcardError(
            .failed, "The terminal cannot show a board: \(why).", meaning: "Nothing was sent.",
            advice: "Use tapcard mastermind guess instead.")
    }
}

/// The loop between a board, a screen and the service.
struct BoardGame: Sendable {
    /// The way a player left, and the game.
    enum Ending: Sendable {
        case left(MastermindGame?)
        case stopped
    }

    /// An input for the board, from the screen or the service.
    private enum Arrival: Sendable {
        case board(Board.Event)
        case password(user: String, CheckedContinuation<String?, Never>)
        case terminal(TerminalEvent)
        case terminalGone
    }

    private static let usualSlots = 6
    private static let usualSize = TerminalSize(columns: 80, rows: 24)

    private let console: Console
    private let hasColour: Bool
    private let arrivals: AsyncStream<Arrival>
    private let queue: AsyncStream<Arrival>.Continuation

    init(console: Console, hasColour: Bool) {
        (self.console, self.hasColour) = (console, hasColour)
        (arrivals, queue) = AsyncStream.makeStream(of: Arrival.self)
    }

    /// The password; nil when the player refuses to give it or has left.
    func askForPassword(of user: String) async -> String? {
        await withCheckedContinuation { answer in
            if case .terminated = queue.yield(.password(user: user, answer)) {
                answer.resume(returning: nil)
            }
        }
    }

    func play(
        _ current: KeptMastermindGame?, with desk: MastermindDesk, on screen: any TerminalScreen
    ) async -> Ending {
        let forwarding = Task {
            for await event in screen.events { queue.yield(.terminal(event)) }
            queue.yield(.terminalGone)
        }
        var work: [Task<Void, Never>] = []
        var asking: CheckedContinuation<String?, Never>?
        defer {
            queue.finish()
            forwarding.cancel()
            // A guess under way is recorded as one that may count.
            for task in work { task.cancel() }
            asking?.resume(returning: nil)
        }
        var (board, request) = opening(current)
        while true {
            if let wanted = request {
                switch wanted {
                case .leave: return .left(board.game)
                case .password(let answer):
                    asking?.resume(returning: answer)
                    asking = nil
                case .start, .guess, .ranking:
                    work.append(Task { queue.yield(.board(await answer(wanted, desk))) })
                }
            }
            let lines = BoardScreen(board).lines(hasColour: hasColour)
            screen.show(console.knowsASCIIAlone ? lines.map(\.ascii) : lines)
            guard let arrival = await next() else { return .stopped }
            switch arrival {
            case .terminalGone: return .stopped
            case .terminal(.changed): request = board.take(.resized(size))
            case .terminal(.key(let key)):
                request = BoardKey(key).flatMap { board.take(.key($0)) }
            case .password(let user, let answer):
                asking?.resume(returning: nil)
                asking = answer
                request = board.take(.passwordWanted(user: user))
            case .board(let event): request = board.take(event)
            }
        }
    }

    private func next() async -> Arrival? {
        for await arrival in arrivals { return arrival }
        return nil
    }

    /// The current game, or a new one if there is none or it is solved.
    private func opening(_ current: KeptMastermindGame?) -> (Board, Board.Request?) {
        let slots = current?.game.slots ?? BoardGame.usualSlots
        guard let rules = try? MastermindRules(slots: slots) else {
            preconditionFailure("a game was kept whose size no game has")
        }
        if let current, current.solvedWith == nil {
            return (Board(current.game, current.history, rules: rules, size: size), nil)
        }
        return (Board(starting: rules, size: size), .start(slots: slots))
    }

    private var size: BoardSize {
        let size = console.size() ?? BoardGame.usualSize
        return BoardSize(width: size.columns, height: size.rows)
    }

    private func answer(_ request: Board.Request, _ desk: MastermindDesk) async -> Board.Event {
        switch request {
        case .start(let slots):
            do throws(TapcardError) {
                let kept = try await desk.start(slots: slots)
                return .started(kept.game, kept.history)
            } catch {
                return .startFailed(error.message)
            }
        case .guess(let colours, let game):
            do throws(TapcardError) {
                return .answered(try await desk.guess(colours, in: game).history)
            } catch {
                // An unreadable history counts as missing; the message gives the reason.
                return .guessFailed(error.message, (try? desk.kept(game))?.history)
            }
        case .ranking:
            do throws(TapcardError) {
                return .ranking(try await desk.ranking())
            } catch {
                return .rankingFailed(error.message)
            }
        case .password, .leave: preconditionFailure("the board answers that itself")
        }
    }
}

extension BoardKey {
    /// Nil for a key without a meaning on the board.
    init?(_ key: TerminalKey) {
        switch key {
        case .character(let character): self = .character(character)
        case .enter: self = .enter
        case .tab: self = .next
        case .backTab: self = .previous
        case .backspace: self = .clear
        case .delete, .control("u"): self = .erase
        case .escape: self = .back
        case .up: self = .up
        case .down: self = .down
        case .left: self = .left
        case .right: self = .right
        case .home: self = .first
        case .end: self = .last
        case .pageUp: self = .pageUp
        case .pageDown: self = .pageDown
        case .control: return nil
        }
    }
}
