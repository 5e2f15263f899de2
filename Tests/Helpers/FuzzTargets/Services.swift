import RemoteServices
import TapcardDomain
import TextCodecs

extension FuzzTarget {
    static let services = [FuzzTarget("service-answers", checkAnswers)]
}

/// Uses one body as the answer to every call.
private func checkAnswers(_ input: [UInt8]) throws {
    if let answer = try answer({ () throws(ServiceError) in try ActivationParsing.answer(input) }),
        case .refused(let version) = answer
    {
        let named = try unwrap(Version(version), "a refusal names what is no version")
        try require(!ActivationRule.isActive(named), "a version that is new enough is refused")
    }
    let rules = LotteryRules.standard
    if let list = try answer({ () throws(ServiceError) in
        try LotteryParsing.draws(input, under: rules)
    }) {
        let again = try LotteryParsing.draws(Array(json(list).text.utf8), under: rules)
        try require(again == list, "draws are read as other ones")
    }
    if let tickets = try answer({ () throws(ServiceError) in
        try LotteryParsing.tickets(input, under: rules)
    }) {
        let again = try LotteryParsing.tickets(Array(json(tickets).text.utf8), under: rules)
        try require(again == tickets, "tickets are read as other ones")
    }
    if let token = try answer({ () throws(ServiceError) in try MastermindParsing.token(input) }) {
        try require(
            HTTPHeader("access_token", token.secret) != nil, "a token that cannot be sent")
    }
    _ = try answer { () throws(ServiceError) in try MastermindParsing.game(input) }
    for slots in [1, 4, 12] {
        guard
            let guess = try answer({ () throws(ServiceError) in
                try MastermindParsing.guess(input, slots: slots)
            })
        else { continue }
        let pegs = guess.evaluation
        try require(
            pegs.black >= 0 && pegs.white >= 0 && pegs.black + pegs.white <= slots
                && guess.guessCount > 0, "more pegs than slots")
    }
    if let ranking = try answer({ () throws(ServiceError) in
        try MastermindParsing.ranking(input)
    }) {
        for rank in ranking {
            let shown = [rank.id, rank.participant, rank.name, rank.time] + rank.icons
            try require(
                shown.joined().unicodeScalars.allSatisfy { !$0.isMisleading },
                "a text of the ranking misleads")
        }
    }
}

/// The answer; nil where it is refused with words that can be shown.
private func answer<Value>(_ parse: () throws(ServiceError) -> Value) throws -> Value? {
    do throws(ServiceError) {
        return try parse()
    } catch {
        let kinds: [ServiceError.Kind] = [
            .notJSON, .wrongShape, .emptyVersion, .badVersion, .badBalls, .badDate,
        ]
        try require(kinds.contains(error.kind), "an answer that is \(error.kind)")
        try require(!error.detail.isEmpty, "a refusal without a word")
        try require(error.detail.utf8.count < 1_000, "a refusal that is too long to be read")
        try require(
            error.detail.unicodeScalars.allSatisfy { !$0.isMisleading }, "a refusal that misleads")
        return nil
    }
}

private func json(_ list: DrawList) -> JSONValue {
    let draws = list.draws.map { draw in
        JSONValue.object(
            [
                JSONMember(key: "id", value: .string(draw.id.text)),
                JSONMember(key: "drawDate", value: .string(draw.date.description)),
                JSONMember(key: "topPrize", value: .number(String(draw.topPrize))),
            ] + members(draw.balls, bonus: "bonus-ball"))
    }
    return ["draws": .array(draws)]
}

private func json(_ tickets: [Ticket]) -> JSONValue {
    let tickets = tickets.map { ticket in
        JSONValue.object(
            [
                JSONMember(key: "id", value: .string(ticket.id.text)),
                JSONMember(key: "drawId", value: .string(ticket.draw.text)),
            ] + members(ticket.balls, bonus: "bonusBall"))
    }
    return ["tickets": .array(tickets)]
}

private func members(_ balls: Balls, bonus: String) -> [JSONMember] {
    balls.numbers.enumerated().map { index, number in
        JSONMember(key: "number\(index + 1)", value: .string(String(number)))
    } + [JSONMember(key: bonus, value: .string(String(balls.bonus)))]
}
