import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

extension Parameter<DrawID?> {
    static var draw: Self {
        .option("draw", "ID", .draw, "Draw to play, up to 52 draws ahead (default: the next draw)")
    }
}

extension Parameter<TicketID?> {
    fileprivate static var ticket: Self {
        .optionalArgument(
            "TICKET", .ticket,
            "Ticket, as listed by `tapcard tickets` (default: all winning tickets)")
    }
}

extension Parameter<Bool> {
    fileprivate static var paidOut: Self {
        .flag("paid-out", "Record the prize for TICKET as paid out in cash")
    }
}

extension Command {
    static let ticketCommands: [Command] = [
        Command(
            "tickets", group: .lottery, "List tickets with their results and prizes",
            discussion: "No reader or card is needed; without `--card`, the list includes tickets "
                + "that are stored only by the lottery service. Square brackets mark a ball that "
                + "was drawn, and parentheses mark a bonus ball that was drawn. If the service is "
                + "offline, the last known results are shown with their age.",
            takes: .card.withHelp("Only tickets for this card and the cards it replaced"),
            asks: .lotteryURL, page: .get("tickets", reader: .never, for: .sellers),
            answers: .tickets,
            example: "tapcard tickets --card 04AC6B72BA6C80", run: TicketCommands.list),
        Command(
            "ticket buy", group: .lottery,
            "Buy a ticket with random numbers, paid for with the card",
            discussion: "The card is charged `ticket-price`, and the limits for payments apply. "
                + "Tickets are sold only while the lottery service responds, never as offline "
                + "payments. If the card is pulled away too soon, the exit status is 6 and the "
                + "next tap resolves the purchase; the ticket is valid only if it was paid for.",
            takes: .draw, .operation, .card, .again, .confirmedAmount,
            asks: .lotteryURL, page: .post("ticket/buy", for: .sellers), answers: .purchase,
            example: "tapcard ticket buy", run: BuyTicketCommand.buyTicket),
        Command(
            "ticket check", group: .lottery, "Show the results and prizes of the card's tickets",
            discussion: "Any operation that an earlier tap left open is resolved, but prizes are "
                + "not paid. If the lottery service is offline, the last known draws are used and "
                + "their age is shown.",
            takes: .card, asks: .lotteryURL, page: .post("ticket/check", for: .sellers),
            answers: .check,
            example: "tapcard ticket check", run: TicketCommands.check),
        Command(
            "ticket claim", group: .lottery, "Add the card's prizes to its balance",
            discussion: "Each prize is paid only once; `prizes` sets the amounts. If a prize would "
                + "take the balance above the limit, it is not added: pay it out in cash with "
                + "`--paid-out`.",
            takes: .ticket, .paidOut,
            .operation.withHelp("ID that makes it safe to repeat a `--paid-out` request"), .card,
            asks: .lotteryURL, page: .post("ticket/claim", for: .cashiers), answers: .claim,
            example: "tapcard ticket claim", run: TicketCommands.claim),
    ]
}

enum TicketCommands {
    static func list(in session: Session) async throws(TapcardError) -> Report {
        let card = session[.card]
        // If a card is specified, it must be in a ledger. If none is, even a station without a
        // ledger can list the tickets that the lottery stores.
        let ledger: (any LedgerStore)? =
            card == nil
            ? try await session.existingLedger() : try await session.ledger(making: false)
        let draws = try await LotteryFetcher(session).draws()
        var (stored, age): ([Ticket], AnswerAge) = ([], AnswerAge(draws))
        var problem: TapcardError?
        // Tickets stored by the lottery service do not belong to a card.
        if card == nil {
            do {
                let fetched = try await LotteryFetcher(session).storedTickets()
                (stored, age) = (fetched.value, age.joined(AnswerAge(fetched)))
            } catch {
                // The ledger's tickets are shown even if the service does not respond.
                guard error.result == .service else { throw error }
                problem = error
            }
        }
        var sold: [CardTicket] = []
        if let ledger { sold = try await CardTicket.tickets(of: card, in: ledger) }
        let tickets = try shown(
            sold, of: ShownTicket.Card(uid: card), stored, draws.value,
            session.settings.currency(of: ledger), in: session)
        let layout = LotteryLayout(session.console)
        return Report(
            age, tickets.members,
            lines: tickets.lines(layout) + tickets.payoutAdvice(layout), layout,
            problem: problem, isPlain: true)
    }

    static func check(in session: Session) async throws(TapcardError) -> Report {
        let card = session[.card]
        let ledger = try await session.ledger()
        // The draws are requested before the user is asked to tap a card.
        let draws = try await LotteryFetcher(session).draws()
        let found = try await session.station(with: ledger).checkTickets(only: card)
        let tickets = try shown(
            found.tickets,
            of: ShownTicket.Card(uid: found.card.uid, balance: found.card.balance), [],
            draws.value, ledger.currency, in: session)
        let layout = LotteryLayout(session.console, indent: 2)
        let count = found.tickets.count
        let words = count == 0 ? "no tickets" : count == 1 ? "1 ticket" : "\(count) tickets"
        return Report(
            AnswerAge(draws),
            [
                "uid": .text(found.card.uid), "resolved": .resolved(found.card.resolved),
            ] + tickets.members,
            lines: [Line("Card \(found.card.uid): \(words)")]
                + Report.words(resolved: found.card.resolved).flatMap { layout.sentence($0) }
                + (count == 0 ? [] : tickets.lines(layout))
                + tickets.claimAdvice + tickets.payoutAdvice(layout),
            layout, problem: found.card.problem, isChange: !found.card.resolved.isEmpty)
    }

    static func claim(in session: Session) async throws(TapcardError) -> Report {
        let named = session[.ticket]
        let isPaidOut = session[.paidOut]
        if isPaidOut, named == nil {
            throw TapcardError.usage(
                "You can use --paid-out only with a ticket.",
                advice:
                    "Specify the ticket whose prize you are paying out; to list tickets, run: "
                    + "tapcard ticket check")
        }
        let id = session[.operation]
        // A page gives every operation an ID.
        guard id == nil || isPaidOut || session.outputOptions.isForPage else {
            throw TapcardError.usage(
                "You can use --operation only with --paid-out.",
                advice:
                    "Leave it out; repeating a claim is safe, because each prize is added only "
                    + "once.")
        }
        let card = session[.card]
        let ledger = try await session.ledger()
        let draws = try await LotteryFetcher(session).draws()
        // If the service merely fails to respond, its last list is still valid. If its response was
        // unusable, prizes cannot be paid based on that list.
        if let staleness = draws.staleness, !staleness.isTemporary {
            throw TapcardError(
                staleness,
                meaning:
                    "No prize was recorded; the tickets are still valid and can be claimed later.")
        }
        let station = try await session.station(with: ledger)
        let (prizes, unit) = (
            try session.settings.prizes(ledger.currency), try session.settings.topPrizeUnit
        )
        let claimed: PrizeReceipt
        if isPaidOut, let named {
            claimed = try await station.payOutPrize(
                of: named, drawn: draws.value, prizes: prizes, topPrizeUnit: unit, id: id,
                only: card)
        } else {
            claimed = try await station.claimTickets(
                drawn: draws.value, prizes: prizes, topPrizeUnit: unit, naming: named, only: card)
        }
        return Report(
            claimed, AnswerAge(draws), LotteryLayout(session.console, indent: 2),
            isPaidOut: isPaidOut)
    }

    private static func shown(
        _ sold: [CardTicket], of card: ShownTicket.Card, _ stored: [Ticket], _ draws: DrawList,
        _ currency: Currency, in session: Session
    ) throws(TapcardError) -> ShownTickets {
        ShownTickets(
            sold: sold, of: card, stored: stored, draws, try session.settings.prizes(currency),
            try session.settings.topPrizeUnit)
    }
}

extension Report {
    static let replayed = " (already done; balance at that time)"

    fileprivate init(
        _ claimed: PrizeReceipt, _ age: AnswerAge, _ layout: LotteryLayout, isPaidOut: Bool
    ) {
        let isReplayed = claimed.isReplayed
        let new = claimed.prizes.filter { !$0.receipt.isReplayed }
        let sum = Money(
            minorUnits: new.reduce(0) { $0 + $1.prize.minorUnits },
            claimed.balance.currency)
        // The sum includes only prizes that this tap booked, because the cashier may pay out the
        // displayed sum.
        let done =
            isPaidOut
            ? "Prize of \(claimed.prizes[0].prize.shown) paid in cash" : "Claimed \(sum.shown)"
        let outcome = isReplayed && !isPaidOut ? "Nothing new to claim" : done
        var lines = layout.sentence(
            outcome + ", \(claimed.balance.shown) left"
                + (isReplayed && isPaidOut ? Report.replayed : ""))
        for prize in claimed.prizes {
            let how = prize.isPaidOut ? "paid in cash" : "claimed"
            let before = prize.receipt.isReplayed && !isPaidOut ? ", \(how) earlier" : ""
            lines += Line.flow(
                [
                    Line(prize.ticket.ticket.id.text),
                    Line(
                        prize.ticket.ticket.draw.text + (prize.draw.map { " \($0.date)" } ?? "")),
                    Line("won \(prize.prize.shown)", .good) + Line(before),
                ], width: layout.width)
        }
        lines.append("Card \(claimed.uid.description)")
        for words in Report.words(resolved: claimed.resolved) { lines += layout.sentence(words) }
        if claimed.display == .outOfDate { lines += layout.sentence(Report.displayIsOld) }
        self.init(
            age, claimed.members, lines: lines, layout, problem: claimed.problem, isChange: true)
    }
}

extension PrizeReceipt: DocumentedObject {
    static let fields: Fields<PrizeReceipt> = [
        "uid": .of(\.uid), "prizes": .of(\.prizes), "balance": .of(\.balance),
        "currency": .of(\.balance.currency.code), "replayed": .of(\.isReplayed),
        "resolved": .of(\.resolved),
    ]
}

extension PrizeReceipt.Prize: DocumentedObject {
    static let fields: Fields<PrizeReceipt.Prize> = [
        "ticket": .of(\.ticket.ticket.id), "draw": .of(\.ticket.ticket.draw),
        "operation": .of(\.receipt.operation.id), "amount": .of(\.prize),
        "replayed": .of(\.receipt.isReplayed), "paidOut": .of(\.isPaidOut),
    ]
}
