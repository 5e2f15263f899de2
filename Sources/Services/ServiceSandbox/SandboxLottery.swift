package import TapcardDomain
package import TextCodecs

/// The lottery: its past draws, one for each week, and the tickets that it stores.
package struct SandboxLottery: Sendable {
    /// The maximum number of draws. Once it is reached, no more draws take place. The limit keeps
    /// the list below the client's size limit.
    package static let maximumDraws = 4_000
    private static let daysBetweenDraws = 7
    private static let topPrizes: ClosedRange<Int64> = 2...12
    private static let topPrizeStep: Int64 = 1_000_000_000

    /// The draws, oldest first.
    package private(set) var draws = SandboxLottery.exampleDraws
    package let tickets = SandboxLottery.exampleTickets

    package init() {}

    /// Draws the next balls. The draw is dated one week after the previous one.
    package mutating func draw(
        using generator: inout some RandomNumberGenerator
    ) throws(SandboxProblem) -> Draw {
        guard draws.count < SandboxLottery.maximumDraws, let last = draws.last,
            let id = DrawID("draw-\(draws.count + 1)"),
            let date = (0..<SandboxLottery.daysBetweenDraws)
                // This advances day by day, because `next` handles month lengths and leap years.
                .reduce(last.date as CalendarDate?, { date, _ in date?.next })
        else { throw .conflict("the limit of \(draws.count) draws has been reached") }
        let balls = try translating(
            Balls.drawn(under: .standard) { Int.random(in: 0..<$0, using: &generator) }
        ) { (error: Refusal) in
            SandboxProblem.conflict("these balls cannot be drawn: \(error.detail)")
        }
        let prize = Int64.random(in: SandboxLottery.topPrizes, using: &generator)
        let draw = Draw(
            id: id, date: date, balls: balls, topPrize: prize * SandboxLottery.topPrizeStep)
        draws.append(draw)
        return draw
    }

    package func answerDraws(
        _ knownTag: String? = nil, invalid: InvalidEntry? = nil
    ) -> SandboxAnswer {
        let rows = draws.map { draw in
            // Only the last row is invalid, so that the list exposes clients that do not check
            // every row.
            SandboxLottery.document(draw, draw.id == draws.last?.id ? invalid : nil)
        }
        return SandboxLottery.answer(["draws": .array(rows)], knownTag)
    }

    package func answerTickets(
        _ knownTag: String? = nil, invalid: InvalidEntry? = nil
    ) -> SandboxAnswer {
        let rows = tickets.map { ticket in
            SandboxLottery.document(ticket, ticket.id == tickets.last?.id ? invalid : nil)
        }
        return SandboxLottery.answer(["tickets": .array(rows)], knownTag)
    }

    /// Responds with the document and its ETag, or with 304 if the client already has this version.
    private static func answer(_ document: JSONValue, _ knownTag: String?) -> SandboxAnswer {
        var answer = SandboxAnswer(document)
        // The ETag is a checksum of the bytes, so it changes whenever the bytes do.
        let tag = "\"\(Checksum.of(document.text.utf8))\""
        answer.headers["ETag"] = tag
        return tag == knownTag ? SandboxAnswer(304, headers: ["ETag": tag]) : answer
    }

    package static func document(_ draw: Draw, _ invalid: InvalidEntry? = nil) -> JSONValue {
        .object(
            [
                JSONMember(key: "id", value: .string(draw.id.text)),
                JSONMember(key: "drawDate", value: .string(date(draw.date, invalid))),
            ] + numbers(draw.balls, invalid) + [
                JSONMember(key: "bonus-ball", value: .string(String(draw.balls.bonus))),
                JSONMember(key: "topPrize", value: .number(String(draw.topPrize))),
            ])
    }

    private static func document(_ ticket: Ticket, _ invalid: InvalidEntry?) -> JSONValue {
        .object(
            [
                JSONMember(key: "id", value: .string(ticket.id.text)),
                JSONMember(key: "drawId", value: .string(ticket.draw.text)),
            ] + numbers(ticket.balls, invalid) + [
                JSONMember(key: "bonusBall", value: .string(String(ticket.balls.bonus)))
            ])
    }

    private static func numbers(_ balls: Balls, _ invalid: InvalidEntry?) -> [JSONMember] {
        var numbers = balls.numbers
        switch invalid {
        // One higher than any ball's number.
        case .balls: numbers[0] = LotteryRules.standard.highest + 1
        case .duplicateBalls: numbers[1] = numbers[0]
        case .date, nil: break
        }
        return numbers.enumerated().map { index, number in
            JSONMember(key: "number\(index + 1)", value: .string(String(number)))
        }
    }

    /// The date, or February 30 of the same year if an invalid date was requested.
    private static func date(_ date: CalendarDate, _ invalid: InvalidEntry?) -> String {
        invalid == .date ? "\(date.description.prefix(5))02-30" : date.description
    }

    /// The errors that the last row of a list can have.
    package enum InvalidEntry: Sendable {
        /// The number of one ball is too high.
        case balls
        /// One ball appears twice.
        case duplicateBalls
        /// The date does not exist.
        case date
    }
}

extension SandboxLottery {
    private typealias DrawRow = (date: String, numbers: [Int], bonus: Int, topPrize: Int64)
    private typealias TicketRow = (draw: String, numbers: [Int], bonus: Int)

    /// The example draws. The first one is from the services' documentation.
    private static let exampleDraws: [Draw] = {
        let rows: [DrawRow] = [
            ("2023-05-15", [2, 16, 23, 44, 47, 52], 14, 4_000_000_000),
            ("2023-05-22", [48, 5, 11, 37, 24, 18], 28, 6_000_000_000),
            ("2023-05-29", [19, 33, 8, 57, 41, 27], 51, 5_000_000_000),
            ("2023-06-05", [7, 40, 33, 12, 59, 26], 3, 8_000_000_000),
        ]
        return rows.enumerated().compactMap { index, row in
            guard let id = DrawID("draw-\(index + 1)"), let date = CalendarDate(row.date),
                let balls = try? Balls(row.numbers, bonus: row.bonus)
            else { return nil }
            return Draw(id: id, date: date, balls: balls, topPrize: row.topPrize)
        }
    }()

    /// Tickets that match all six balls and the bonus ball; three balls and the bonus ball; only
    /// the bonus ball; and nothing. The last ticket is for a future draw.
    private static let exampleTickets: [Ticket] = {
        let rows: [TicketRow] = [
            ("draw-1", [2, 16, 23, 44, 47, 52], 14),
            ("draw-2", [5, 9, 18, 24, 36, 53], 28),
            ("draw-3", [2, 10, 20, 30, 40, 50], 51),
            ("draw-4", [1, 2, 4, 5, 6, 8], 9),
            ("draw-5", [3, 14, 15, 26, 35, 58], 31),
        ]
        return rows.enumerated().compactMap { index, row in
            guard let id = TicketID("ticket-\(index + 1)"), let draw = DrawID(row.draw),
                let balls = try? Balls(row.numbers, bonus: row.bonus)
            else { return nil }
            return Ticket(id: id, draw: draw, balls: balls)
        }
    }()
}
