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
    private let card: Card

    /// The card that all of it is about, and what it holds, as far as is known.
    struct Card: Sendable {
        var uid: CardUID?
        var balance: Money?
    }

    fileprivate init(
        _ ticket: Ticket, _ sold: CardTicket?, of card: Card, _ draws: DrawList,
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

    /// What can be done about its prize.
    enum Claim: String, Sendable, CaseIterable {
        /// Added to the card.
        case card
        /// Paid out of the drawer: it has no room on the card.
        case drawer
        case done
        case paidOut = "paid-out"
        /// Its card is blocked.
        case blocked
        /// Its card is gone, and no other can claim it.
        case never
    }

    /// Nil where nothing was won, or by a ticket that the lottery itself keeps.
    var claim: Claim? {
        guard let prize, let sold else { return nil }
        if let claim = sold.claim { return claim.isPaidOut ? .paidOut : .done }
        if sold.isGivenUp { return .never }
        guard sold.canBeClaimed else { return .blocked }
        let held = card.balance?.minorUnits ?? 0
        return prize.minorUnits > Currency.largestBalance - held ? .drawer : .card
    }

    var drawWords: String {
        ticket.draw.text + (draw.map { " \($0.date)" } ?? "")
    }

    /// Who has it; nil for the card that all of it is about.
    var keeper: String? {
        guard let sold else { return "kept by the lottery" }
        return sold.boughtWith == card.uid ? nil : "card \(sold.boughtWith)"
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
            words = Line("won \(prize.shown)", .good) + Line(claim.map { ", \($0.words)" } ?? "")
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
            "claim": .text(claim?.rawValue),
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
        sold: [CardTicket], of card: ShownTicket.Card, kept: [Ticket], _ draws: DrawList,
        _ prizes: PrizeTable,
        _ unit: TopPrizeUnit
    ) {
        let all =
            sold.map { ShownTicket($0.ticket, $0, of: card, draws, prizes, unit) }
            + kept.map { ShownTicket($0, nil, of: ShownTicket.Card(), draws, prizes, unit) }
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

    /// How what was won is added to the card, where it can be.
    var claimAdvice: [Line] {
        drawn.contains { $0.claim == .card } ? ["Claim it: tapcard ticket claim"] : []
    }

    /// What to do with each prize that has no room on its card.
    func payoutAdvice(_ layout: LotteryLayout) -> [Line] {
        drawn.filter { $0.claim == .drawer }.map(\.ticket.id).flatMap { ticket in
            layout.sentence(
                "More than the card can hold; pay it when it is booked as paid out: tapcard ticket "
                    + "claim \(ticket) --paid-out")
        }
    }

    private func section(
        _ title: String, _ tickets: [ShownTicket], _ layout: LotteryLayout
    ) -> [Line] {
        [Line(title, .title)]
            + (tickets.isEmpty ? ["none"] : layout.lines(of: tickets))
    }
}

extension ShownTicket.Claim {
    fileprivate var words: String {
        switch self {
        case .card, .blocked: "not claimed"
        case .drawer: "not claimed, more than the card can hold"
        case .done: "claimed"
        case .paidOut: "paid out by hand"
        case .never: "can no longer be claimed"
        }
    }
}
