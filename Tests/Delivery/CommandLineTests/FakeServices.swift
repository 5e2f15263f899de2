import BlockingLane
import IdleDrivers
import TapcardDomain
import Verbs

/// A lottery that gives the answers or errors that a test sets.
final class FakeLottery: LotteryService {
    private struct Answers {
        var draws: Result<Fetched<DrawList>, ServiceError>
        var tickets: Result<Fetched<[Ticket]>, ServiceError>
        /// The answer when the draws are asked for again.
        var later: Result<Fetched<DrawList>, ServiceError>?
        /// The answer of a lottery that has really started over.
        var restarted: Result<Fetched<DrawList>, ServiceError>?
    }

    private let answers: Guarded<Answers>

    init(_ draws: [Draw], tickets: [Ticket] = []) throws {
        answers = Guarded(
            Answers(
                draws: .success(Fetched(try DrawList(draws))), tickets: .success(Fetched(tickets))))
    }

    func draws(forgetting: Bool = false) throws(ServiceError) -> Fetched<DrawList> {
        try answers.withLock { answers in
            if forgetting, let restarted = answers.restarted { answers.draws = restarted }
            defer { answers.draws = answers.later ?? answers.draws }
            return answers.draws
        }.get()
    }

    func tickets() throws(ServiceError) -> Fetched<[Ticket]> {
        try answers.withLock { $0.tickets }.get()
    }

    /// Adds a draw to the list.
    func draw(_ draw: Draw) throws {
        let known = try draws().value.draws
        let list = try DrawList(known + [draw])
        answers.withLock { $0.draws = .success(Fetched(list)) }
    }

    /// Adds a draw after the draws have been asked for once more.
    func drawLater(_ draw: Draw) throws {
        let list = try DrawList(try draws().value.draws + [draw])
        answers.withLock { $0.later = .success(Fetched(list)) }
    }

    /// Fails from now on; its earlier answers stay cached.
    func vanish(_ kind: ServiceError.Kind = .offline, age: Int) throws {
        let error = ServiceError(kind, "nobody listens")
        let (draws, tickets) = (try draws().value, try tickets().value)
        answers.withLock {
            $0.draws = .success(Fetched(draws, age: age, staleness: error))
            $0.tickets = .success(Fetched(tickets, age: age, staleness: error))
        }
    }

    /// Loses a draw, so that the cached list is used.
    func goBack() throws {
        let error = ServiceError(.goneBack, "its list of draws has gone back")
        let kept = try draws().value
        let restarted = try DrawList(Array(kept.draws.dropFirst()))
        answer(Fetched(kept, age: 5, staleness: error))
        answers.withLock { $0.restarted = .success(Fetched(restarted)) }
    }

    /// Loses a draw, and no cached list has it.
    func forget() throws {
        answer(Fetched(try DrawList(Array(try draws().value.draws.dropFirst()))))
    }

    /// Sets the answer about the draws.
    func answer(_ draws: Fetched<DrawList>) {
        answers.withLock { $0.draws = .success(draws) }
    }

    func failTickets(_ kind: ServiceError.Kind) {
        answers.withLock { $0.tickets = .failure(ServiceError(kind, "nobody listens")) }
    }

    /// The services of a bench, this one among them.
    var services: Services {
        Services(activation: NoServices(), lottery: self, mastermind: NoServices())
    }

    /// The draws of the lottery's own example.
    static func example(tickets: [Ticket] = []) throws -> FakeLottery {
        try FakeLottery(
            [
                draw("draw-1", "2023-05-15", [2, 16, 23, 44, 47, 52], 14, 4_000_000_000),
                draw("draw-2", "2023-05-22", [5, 45, 51, 32, 24, 18], 28, 6_000_000_000),
                draw("draw-3", "2023-05-29", [34, 21, 4, 58, 1, 15], 51, 6_000_000_000),
            ], tickets: tickets)
    }

    static func draw(
        _ id: String, _ date: String, _ numbers: [Int], _ bonus: Int, _ topPrize: Int64,
        under rules: LotteryRules = .standard
    ) throws -> Draw {
        guard let id = DrawID(id), let date = CalendarDate(date) else {
            throw Refusal(.badDraw, "no draw")
        }
        return Draw(
            id: id, date: date, balls: try Balls(numbers, bonus: bonus, under: rules),
            topPrize: topPrize)
    }

    static func ticket(
        _ id: String, _ draw: String, _ numbers: [Int], _ bonus: Int
    ) throws -> Ticket {
        guard let id = TicketID(id), let draw = DrawID(draw) else {
            throw Refusal(.badDraw, "no ticket")
        }
        return Ticket(id: id, draw: draw, balls: try Balls(numbers, bonus: bonus))
    }
}

/// An activation service that gives the answer a test sets and counts its requests.
final class FakeActivation: ActivationService {
    private let said: Guarded<Result<ActivationAnswer, ServiceError>>
    private let questions = Guarded(0)

    init(_ answer: Result<ActivationAnswer, ServiceError>) { said = Guarded(answer) }

    /// Sets the answer from now on.
    func answer(_ answer: Result<ActivationAnswer, ServiceError>) { said.withLock { $0 = answer } }

    func activate(_ code: ScratchCode) throws(ServiceError) -> ActivationAnswer {
        questions.withLock { $0 += 1 }
        return try said.withLock { $0 }.get()
    }

    var questionCount: Int { questions.withLock { $0 } }

    var services: Services {
        Services(activation: self, lottery: NoServices(), mastermind: NoServices())
    }
}
