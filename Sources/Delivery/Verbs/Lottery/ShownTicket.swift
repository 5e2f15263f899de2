import TapcardCore
import TapcardDomain
import TextCodecs

/// A ticket with its draw, if the draw has taken place, and its prize.
struct ShownTicket: Sendable {
    let ticket: Ticket
    /// The draw; nil before it takes place, or if the lottery no longer lists it.
    let draw: Draw?
    /// The ledger's entry; nil for a ticket stored by the lottery service.
    let sold: CardTicket?
    /// The prize, booked or not; nil if there is none.
    let prize: Money?
    let result: TicketResult?
    private let card: Card

    /// The card that the list is about, with its balance if known.
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
        // A booked prize does not change, even if the prize table has.
        prize = sold?.claim?.prize ?? draw.flatMap { prizes.prize(of: ticket, in: $0, unit) }
        result = draw.map(ticket.result)
    }

    /// Whether the draw is known to have taken place. A booked prize is also proof.
    var isOver: Bool { draw != nil || sold?.claim != nil }

    /// How the prize can be paid.
    enum Claim: String, Sendable, CaseIterable {
        /// Added to the card.
        case card
        /// Paid in cash, because the card has no room for it.
        case drawer
        case done
        case paidOut = "paid-out"
        /// The card is blocked.
        case blocked
        /// The card is gone, and no other card can claim the prize.
        case never
    }

    /// How the prize can be claimed; nil if there is no prize, or for a ticket stored by the
    /// lottery service.
    var claim: Claim? {
        guard let prize, let sold else { return nil }
        if let claim = sold.claim { return claim.isPaidOut ? .paidOut : .done }
        if sold.isAbandoned { return .never }
        guard sold.canBeClaimed else { return .blocked }
        // The balance is known only after a tap. Without a tap, a prize counts as fitting if an
        // empty card could hold it.
        let held = card.balance?.minorUnits ?? 0
        return prize.minorUnits > Currency.largestBalance - held ? .drawer : .card
    }

    var drawWords: String {
        ticket.draw.text + (draw.map { " \($0.date)" } ?? "")
    }

    /// Where the ticket is kept; nil if it is on the card that the list is about.
    var keeper: String? {
        guard let sold else { return "kept by the lottery" }
        return sold.boughtWith == card.uid ? nil : "card \(sold.boughtWith)"
    }

    /// The result and the number of matches; empty before the draw.
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
}

extension ShownTicket: DocumentedObject {
    static var schema: JSONValue { ValueSchemas.shownTicket }
    static let fields: Fields<ShownTicket> = [
        "id": .of(\.ticket.id), "draw": .of(\.ticket.draw), "balls": .of(\.balls),
        "bonus": .of { ShownBall(number: $0.ticket.balls.bonus, match: $0.result?.isBonusMatched) },
        "won": .of { $0.isOver ? $0.prize != nil : nil }, "prize": .of(\.prize),
        "claimed": .of { $0.sold.map { $0.claim != nil } }, "claim": .of(\.claim),
        "date": .of { $0.draw?.date }, "uid": .of { $0.sold?.boughtWith },
    ]

    private var balls: [ShownBall] {
        ticket.balls.numbers.enumerated().map { index, number in
            ShownBall(number: number, match: result?.matches[index])
        }
    }
}

/// A number on a ticket and whether it was drawn, which is nil before the draw.
private struct ShownBall: DocumentedObject {
    let number: Int
    let match: Bool?

    static let fields: Fields<ShownBall> = [
        "number": .of(\.number),
        "match": .of(Schema.nullable(Schema.oneOf(["yes", "no"]))) { ball in
            ball.match.map { $0 ? "yes" : "no" }
        },
    ]
}

/// A list of tickets in two sections.
struct ShownTickets: Sendable {
    /// Tickets before their draw, the next draw first.
    let upcoming: [ShownTicket]
    /// Tickets after their draw, the last draw first.
    let drawn: [ShownTicket]

    init(
        sold: [CardTicket], of card: ShownTicket.Card, stored: [Ticket], _ draws: DrawList,
        _ prizes: PrizeTable,
        _ unit: TopPrizeUnit
    ) {
        let all =
            sold.map { ShownTicket($0.ticket, $0, of: card, draws, prizes, unit) }
            + stored.map { ShownTicket($0, nil, of: ShownTicket.Card(), draws, prizes, unit) }
        // Draws are listed newest first, so a lower position means a later draw.
        let positions = Dictionary(
            uniqueKeysWithValues: draws.draws.enumerated().map { ($1.id, $0) })
        upcoming = ShownTickets.sorted(all.filter { !$0.isOver }) {
            $0.draw.parts?.number ?? 0
        }
        // Tickets for a draw that the lottery no longer lists go last.
        drawn = ShownTickets.sorted(all.filter(\.isOver)) { positions[$0.draw] ?? positions.count }
    }

    /// Sorts tickets by draw; tickets for the same draw keep their order.
    private static func sorted(
        _ tickets: [ShownTicket], by position: (Ticket) -> Int
    ) -> [ShownTicket] {
        // Swift's own sort is not guaranteed to be stable, so the offset breaks ties.
        tickets.enumerated().sorted { left, right in
            (position(left.element.ticket), left.offset) < (
                position(right.element.ticket), right.offset
            )
        }.map(\.element)
    }

    var members: Members {
        ["upcoming": upcoming.document, "drawn": drawn.document]
    }

    func lines(_ layout: LotteryLayout) -> [Line] {
        section("Upcoming", upcoming, layout) + section("Drawn", drawn, layout)
    }

    /// Advice on adding prizes to the card.
    var claimAdvice: [Line] {
        drawn.contains { $0.claim == .card } ? ["Claim it: tapcard ticket claim"] : []
    }

    /// Advice on each prize that does not fit on its card.
    func payoutAdvice(_ layout: LotteryLayout) -> [Line] {
        drawn.filter { $0.claim == .drawer }.map(\.ticket.id).flatMap { ticket in
            layout.sentence(
                "This prize is more than the card can hold; pay it out in cash only after this "
                    + "succeeds: tapcard ticket claim \(ticket) --paid-out")
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
        case .card, .blocked: "not claimed yet"
        case .drawer: "not claimed yet, more than the card can hold"
        case .done: "claimed"
        case .paidOut: "paid in cash"
        case .never: "can no longer be claimed"
        }
    }
}
