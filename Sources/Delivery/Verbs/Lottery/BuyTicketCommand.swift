import Ledger
import TapcardCore
import TapcardDomain
import TextCodecs

enum BuyTicketCommand {
    /// Buys a ticket; a repeated request returns the ticket that was already bought.
    static func buyTicket(in session: Session) async throws(TapcardError) -> Report {
        let named = session[.draw]
        let card = session[.card]
        let retried = session[.operation]
        let ledger = try await session.ledger()
        let bought: TicketReceipt
        if let known = try await known(retried, in: ledger) {
            bought = try await resumePurchase(known, named, only: card, ledger, in: session)
        } else {
            bought = try await buy(named, id: retried, only: card, ledger, in: session)
        }
        return Report(bought, LotteryLayout(session.console, indent: 2))
    }

    /// How long, in milliseconds, the list of draws is trusted while the command waits for a card.
    private static let trustedFor: Int64 = 5_000

    private static func buy(
        _ named: DrawID?, id: OperationID?, only card: CardUID?, _ ledger: any LedgerStore,
        in session: Session
    ) async throws(TapcardError) -> TicketReceipt {
        try await ShiftCommands.requireShift(in: session, ledger)
        let price = try session.settings.ticketPrice(ledger.currency)
        let rules = try session.settings.lotteryRules
        // The draws are loaded before the user is asked for a card, and again below if the card
        // takes a while to arrive.
        var draws = try await currentDraws(in: session)
        _ = try upcoming(named, in: draws)
        let askedAt = session.dependencies.now()
        let station = try await session.station(with: ledger)
        let uid = try await station.cardOnReader()
        if session.dependencies.now().millisecondsSince(askedAt) > trustedFor {
            draws = try await currentDraws(in: session)
        }
        try await requireUpToDate(draws, for: card ?? uid, in: ledger)
        // The ticket must be bought with the card whose recorded prizes were checked against the
        // list.
        return try await station.buyTicket(
            draw: try upcoming(named, in: draws), price: price, rules: rules,
            id: id ?? station.newID(),
            only: card ?? uid, refusingIfJustResolved: session.refusesIfJustResolved)
    }

    /// Finishes an earlier purchase if its draw is still in the future. After the draw, only the
    /// card's record determines whether the ticket was paid for, because a ticket with a known
    /// result must not be bought or returned. If the lottery is offline, or its list of draws is
    /// out of date, the purchase stays open and can be finished later.
    private static func resumePurchase(
        _ known: (sold: SoldTicket, state: Operation.State), _ named: DrawID?,
        only card: CardUID?, _ ledger: any LedgerStore, in session: Session
    ) async throws(TapcardError) -> TicketReceipt {
        let (sold, state) = known
        let rules = try session.settings.lotteryRules
        let station = try await session.station(with: ledger)
        let draw = named ?? sold.ticket.draw
        if state == .pending {
            let drawOver: TapcardError?
            do {
                let draws = try await currentDraws(in: session)
                try await requireUpToDate(draws, for: sold.card, in: ledger)
                _ = try upcoming(sold.ticket.draw, in: draws)
                drawOver = nil
            } catch {
                switch error.kind {
                case .refusal(.drawOver): drawOver = error
                case _ where [.service, .refused].contains(error.result):
                    throw TapcardError.purchaseOpen(sold, because: error)
                default: throw error
                }
            }
            if let drawOver {
                return try await translating(
                    awaiting: await station.finishPurchase(sold, draw: draw, only: card),
                    into: drawOver.ending)
            }
        }
        // The price of the first request applies, even if the setting has changed since.
        return try await station.buyTicket(
            draw: draw,
            price: Money(minorUnits: sold.price, ledger.currency), rules: rules,
            id: sold.operation, only: card)
    }

    /// The ticket that an earlier request with this ID bought or began to buy.
    private static func known(
        _ operation: OperationID?, in ledger: any LedgerStore
    ) async throws(TapcardError) -> (sold: SoldTicket, state: Operation.State)? {
        guard let operation else { return nil }
        let failure = { (error: LedgerError) in TapcardError(error) }
        let sold = try await translating(
            awaiting: await ledger.ticket(of: operation), into: failure)
        let known = try await translating(
            awaiting: await ledger.operation(operation), into: failure)
        guard let sold, let known else { return nil }
        return (sold, known.state)
    }

    private static let noSale = "No ticket was sold and nothing was charged"

    /// The draws for a sale. They must be current, because tickets for past draws must not be sold.
    private static func currentDraws(in session: Session) async throws(TapcardError) -> DrawList {
        let draws = try await translating(awaiting: await LotteryFetcher(session).draws()) {
            (error: TapcardError) in
            TapcardError(error.kind, error.what, meaning: "\(noSale).", next: error.next)
        }
        if let staleness = draws.staleness {
            throw TapcardError(
                staleness,
                meaning:
                    "\(noSale), because the saved list of draws is \(Age.words(draws.age)) old, and "
                    + "tickets are sold only from an up-to-date list.")
        }
        return draws.value
    }

    /// Throws if the list of draws ends before a draw for which this card already has a recorded
    /// prize. Such a list is outdated; this check works even without a newer saved list to compare
    /// it with.
    private static func requireUpToDate(
        _ draws: DrawList, for card: CardUID, in ledger: any LedgerStore
    ) async throws(TapcardError) {
        let tickets: [CardTicket]
        do {
            tickets = try await CardTicket.tickets(of: card, in: ledger)
        } catch {
            // If the card is unknown, the error from the tap explains it better.
            guard error.kind == .refusal(.cardUnknown) else { throw error }
            return
        }
        let claimed = tickets.first { $0.claim != nil && draws.endsBefore($0.ticket.draw) }
        guard let claimed else { return }
        let error = TapcardError(
            ServiceError(
                .goneBack,
                "its list of draws ends before \(claimed.ticket.draw), for which a prize for "
                    + "ticket \(claimed.ticket.id) is recorded"),
            meaning: "\(noSale).", uid: card)
        // The advice is to use a different card, because `draws --forget` would not change the
        // recorded prize.
        throw TapcardError(
            error.kind, error.what, meaning: error.meaning,
            next: [.lottery(.buyWithAnotherCard)], uid: card)
    }

    /// The draw to sell a ticket for: the named one or, by default, the next one.
    private static func upcoming(
        _ named: DrawID?, in draws: DrawList
    ) throws(TapcardError) -> DrawID {
        try translating(draws.upcoming(named: named?.text)) { (error: Refusal) in
            TapcardError(error)
        }
    }
}

extension Report {
    fileprivate init(_ bought: TicketReceipt, _ layout: LotteryLayout) {
        let (ticket, receipt) = (bought.ticket, bought.receipt)
        // A purchase takes money off the card, so its amount is negative.
        let price = Money(minorUnits: abs(receipt.amount.minorUnits), receipt.amount.currency)
        var lines = [Line("Bought \(ticket.id) for \(ticket.draw)")]
        lines += layout.numbers(of: ticket.balls)
        lines += layout.sentence(
            "Paid \(price.shown), \(receipt.balance.shown) left"
                + (receipt.isReplayed ? Report.replayed : ""))
        lines += layout.sentence("Card \(receipt.uid), operation \(receipt.operation.id)")
        for words in Report.words(resolved: receipt.resolved) { lines += layout.sentence(words) }
        if receipt.display == .outOfDate { lines += layout.sentence(Report.displayIsOld) }
        self.init(
            receipt.members + ["ticket": ticket.document], lines: lines, isChange: true)
    }
}
