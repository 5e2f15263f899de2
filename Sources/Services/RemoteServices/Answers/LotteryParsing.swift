package import TapcardDomain

/// Parses the lottery's responses: draws, and the tickets that the lottery itself stores.
package enum LotteryParsing {
    package static func draws(
        _ body: [UInt8], under rules: LotteryRules
    ) throws(ServiceError) -> DrawList {
        var draws: [Draw] = []
        let list = try AnswerReader(body).member("draws")
        for row in try list.elements() {
            let name = try row.member("id")
            guard let id = DrawID(try name.string()) else {
                throw name.wrong("is not a draw ID")
            }
            let prize = try row.member("topPrize").integer(in: 0...Int.max)
            draws.append(
                Draw(
                    id: id, date: try row.member("drawDate").date(),
                    balls: try balls(of: row, bonus: "bonus-ball", under: rules),
                    topPrize: Int64(prize)))
        }
        return try translating(DrawList(draws)) { (error: Refusal) in
            list.wrong("is invalid: \(error.detail)")
        }
    }

    package static func tickets(
        _ body: [UInt8], under rules: LotteryRules
    ) throws(ServiceError) -> [Ticket] {
        var tickets: [Ticket] = []
        var seen: Set<TicketID> = []
        for row in try AnswerReader(body).member("tickets").elements() {
            let name = try row.member("id")
            guard let id = TicketID(try name.string()) else {
                throw name.wrong("is not a ticket ID")
            }
            guard seen.insert(id).inserted else {
                throw name.wrong("is \(id), which is also the ID of another ticket")
            }
            let drawName = try row.member("drawId")
            guard let draw = DrawID(try drawName.string()) else {
                throw drawName.wrong("is not a draw ID")
            }
            tickets.append(
                Ticket(
                    id: id, draw: draw,
                    balls: try balls(of: row, bonus: "bonusBall", under: rules)))
        }
        return tickets
    }

    /// The balls `number1`, `number2`, and so on, and the bonus ball. `bonus` is the name of the
    /// bonus ball's member, which differs between draws and tickets.
    private static func balls(
        of row: AnswerReader, bonus: String, under rules: LotteryRules
    ) throws(ServiceError) -> Balls {
        func ball(_ key: String) throws(ServiceError) -> Int {
            let member = try row.member(key)
            // An invalid number is reported as an invalid ball, not as malformed JSON.
            return try translating(member.integer(in: 1...rules.highest)) { (error: ServiceError) in
                ServiceError(.badBalls, error.detail)
            }
        }
        var numbers: [Int] = []
        for index in 1...rules.ballCount { numbers.append(try ball("number\(index)")) }
        // With an extra ball, this would be a different lottery, with different prizes.
        if let extra = try row.optional("number\(rules.ballCount + 1)") {
            throw extra.wrong(
                "is one ball too many; the settings allow \(rules.ballCount)", as: .badBalls)
        }
        let bonus = try ball(bonus)
        return try translating(Balls(numbers, bonus: bonus, under: rules)) { (error: Refusal) in
            row.wrong("is invalid: \(error.detail)", as: .badBalls)
        }
    }
}
