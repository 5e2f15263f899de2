import StyledText
import TapcardCore
import TapcardDomain
import TextCodecs

/// A ticket as it is shown: with its draw, where that has taken place.
struct ShownTicket: Sendable {
    let ticket: Ticket
    /// Nil while it is still to come, or where the lottery has left it out since.
    let draw: Draw?
    /// What this ledger knows of it; nil for a ticket that the lottery itself keeps.
    let sold: CardTicket?
    /// What it has won, booked or not; nil for nothing.
    let prize: Money?
    let result: TicketResult?
    private let card: CardUID?

    fileprivate init(
        _ ticket: Ticket, _ sold: CardTicket?, of card: CardUID?, _ draws: DrawList,
        _ prizes: PrizeTable,
        _ unit: TopPrizeUnit
    ) {
        let draw = draws[ticket.draw]
        (self.ticket, self.sold, self.card, self.draw) = (ticket, sold, card, draw)
        prize = sold?.claim?.prize ?? draw.flatMap { prizes.prize(of: ticket, in: $0, unit) }
        result = draw.map(ticket.result)
    }

    /// Whether its draw has taken place, as far as is known: what has a prize has had its draw.
    var isOver: Bool { draw != nil || sold?.claim != nil }

    /// Whether there is a prize that nobody has fetched, and a card that can.
    var canBeClaimed: Bool { sold?.canBeClaimed == true && prize != nil }

    var drawWords: String {
        ticket.draw.text + (draw.map { " \($0.date)" } ?? "")
    }

    /// Who has it; nil for the card that all of it is about.
    var keeper: String? {
        guard let sold else { return "kept by the lottery" }
        return sold.boughtWith == card ? nil : "card \(sold.boughtWith)"
    }

    /// Whether it has won, and why; nothing before its draw.
    var verdict: [Line] {
        guard isOver else { return [] }
        let matched = result.map { result in
            Line(
                "\(result.matchCount) of \(result.matches.count)"
                    + (result.isBonusMatched ? " and the bonus" : ""))
        }
        let words: Line
        if let prize {
            let state = sold.map { $0.claim == nil ? ", not claimed" : ", claimed" } ?? ""
            words = Line("won \(prize.shown)", .good) + Line(state)
        } else {
            words = "not won"
        }
        return [words] + [matched].compactMap { $0 }
    }

    var document: JSONValue {
        [
            "id": .string(ticket.id.text), "draw": .string(ticket.draw.text),
            "balls": .array(
                ticket.balls.numbers.enumerated().map { index, number in
                    ShownTicket.document(number, result?.matches[index])
                }),
            "bonus": ShownTicket.document(ticket.balls.bonus, result?.isBonusMatched),
            "won": isOver ? .bool(prize != nil) : .null,
            "prize": .text(prize),
            "claimed": sold.map { .bool($0.claim != nil) } ?? .null,
            "date": .text(draw?.date),
            "uid": .text(sold?.boughtWith),
        ]
    }

    private static func document(_ number: Int, _ isMatched: Bool?) -> JSONValue {
        [
            "number": .number(number),
            "match": isMatched.map { .string($0 ? "yes" : "no") } ?? .null,
        ]
    }
}

/// Tickets in their two sections.
struct ShownTickets: Sendable {
    /// The next draw first.
    let upcoming: [ShownTicket]
    /// The last draw first.
    let drawn: [ShownTicket]

    init(
        sold: [CardTicket], of card: CardUID?, kept: [Ticket], _ draws: DrawList,
        _ prizes: PrizeTable,
        _ unit: TopPrizeUnit
    ) {
        let all =
            sold.map { ShownTicket($0.ticket, $0, of: card, draws, prizes, unit) }
            + kept.map { ShownTicket($0, nil, of: nil, draws, prizes, unit) }
        let places = Dictionary(
            uniqueKeysWithValues: draws.draws.enumerated().map { ($1.id, $0) })
        upcoming = ShownTickets.sorted(all.filter { !$0.isOver }) {
            $0.draw.parts?.number ?? 0
        }
        drawn = ShownTickets.sorted(all.filter(\.isOver)) { places[$0.draw] ?? places.count }
    }

    /// Those of one draw stay in the order in which they came.
    private static func sorted(
        _ tickets: [ShownTicket], by place: (Ticket) -> Int
    ) -> [ShownTicket] {
        tickets.enumerated().sorted { left, right in
            (place(left.element.ticket), left.offset) < (place(right.element.ticket), right.offset)
        }.map(\.element)
    }

    var members: [JSONMember] {
        [
            JSONMember(key: "upcoming", value: .array(upcoming.map(\.document))),
            JSONMember(key: "drawn", value: .array(drawn.map(\.document))),
        ]
    }

    func lines(_ layout: LotteryLayout) -> [Line] {
        section("Upcoming", upcoming, layout) + section("Drawn", drawn, layout)
    }

    private func section(
        _ title: String, _ tickets: [ShownTicket], _ layout: LotteryLayout
    ) -> [Line] {
        [Line(title, .title)]
            + (tickets.isEmpty ? ["none"] : layout.lines(of: tickets))
    }
}
