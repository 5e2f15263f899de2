public import Ledger
public import Tags
public import TapcardDomain

/// The operations of a station. Each one checks its parameters and runs a use case.
extension Station {
    /// This station, for a request whose amount someone has confirmed.
    public func confirmed() -> Station {
        var station = self
        station.settings.isConfirmed = true
        return station
    }

    /// Takes a payment. `refusingRepetition` is for callers without an ID of their own: if this tap
    /// has just resolved an identical payment, this throws, and the card is not charged again.
    public func pay(
        _ amount: Money, id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) async throws(TapcardError) -> Receipt {
        try limits.requirePositive(amount)
        return try await CardChange(
            .pay(amount), id, only: card, refusingRepetition: refusingRepetition
        ).run(at: self)
    }

    /// Tops up a card. The cash is already in the drawer. `refusingRepetition` is for callers
    /// without an ID of their own, as in `pay`.
    public func add(
        _ amount: Money, id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) async throws(TapcardError) -> Receipt {
        try limits.requirePositive(amount)
        return try await CardChange(
            .add(amount), id, only: card, refusingRepetition: refusingRepetition
        ).run(at: self)
    }

    /// Refunds a payment, or reverses a top-up and gives its cash back: only once, at most the
    /// original amount, and never below zero. Without an ID from the caller, the ID is derived from
    /// the reversed operation, so that a retry counts as the same request.
    public func refund(
        _ reversed: OperationID, _ amount: Money? = nil, id: OperationID? = nil,
        only card: CardUID? = nil
    ) async throws(TapcardError) -> Receipt {
        if let amount { try limits.requirePositive(amount) }
        return try await Refund(of: reversed, amount, id: id, only: card).run(at: self)
    }

    /// Pays out a card's balance and closes it. If this tap completes an earlier closing, that
    /// closing is the answer: its money has to be paid out.
    public func close(
        id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> Receipt {
        try await Closing(id, only: card).run(at: self)
    }

    /// Turns the tag on the reader into a card, or finishes making a card that was interrupted.
    public func make(
        _ cardRequest: CardRequest, id: OperationID
    ) async throws(TapcardError) -> CardSummary {
        try await CardMaking(cardRequest, id).run(at: self)
    }

    /// Reads a card and resolves what an interrupted tap left open on it. A card that cannot be
    /// trusted is shown with the reason instead of being refused. Without resolving, or with a
    /// read-only ledger, nothing is ever written.
    ///
    /// If the ledger's server does not respond, the card is shown as it describes itself.
    public func read(resolving isWanted: Bool = true) async throws(TapcardError) -> CardSummary {
        try await ReadCard.summary(resolving: isWanted, at: self)
    }

    /// The card after a change.
    public func summary(afterwards receipt: Receipt) async throws(TapcardError) -> CardSummary {
        try await summaries.summary(after: receipt)
    }

    /// Scratches the card: after two seconds it has a code. If canceled before then, nothing
    /// changes.
    public func scratch(id: OperationID) async throws(TapcardError) -> Receipt {
        try await Scratching(id).run(at: self)
    }

    /// Activates the code of the card on the reader through the service.
    ///
    /// The attempt is durable before the service is asked, and the answer is durable before the
    /// card is written. An attempt that got no answer is repeated with the same code, even under a
    /// new ID; that ID is stored with the attempt, so that a retry gets the same answer. Canceling
    /// does not stop the request: the answer is recorded and written to the card at its next tap.
    public func activate(
        id: OperationID, through service: any ActivationService
    ) async throws(TapcardError) -> Receipt {
        try await Activation(id, through: service).run(at: self)
    }

    /// Sells a ticket with random balls. The price is held, and is booked once the payment is on
    /// the card; until then, the ticket is not valid. The same ID gets the same ticket. The caller
    /// makes sure that the draw has not taken place yet.
    public func buyTicket(
        draw: DrawID, price: Money, rules: LotteryRules, id: OperationID,
        only card: CardUID? = nil, refusingRepetition: Bool = false
    ) async throws(TapcardError) -> TicketReceipt {
        try limits.requirePositive(price)
        // The name is derived from the ID, so that a retry asks for the same ticket.
        let ticket = Ticket(id: TicketID(boughtBy: id), draw: draw, balls: try balls(under: rules))
        return try await TicketPurchase(
            ticket, price, id, only: card, refusingRepetition: refusingRepetition
        ).run(at: self)
    }

    /// Resolves an open purchase whose draw is over: at this point only the card can prove that it
    /// was paid. Nothing more is written for it; without its card, the purchase stays open.
    public func finishPurchase(
        _ sold: SoldTicket, draw: DrawID, only card: CardUID? = nil
    ) async throws(TapcardError) -> TicketReceipt {
        let receipt = try await ResolvePurchase(sold, draw: draw, currency: currency, only: card)
            .run(at: self)
        return TicketReceipt(ticket: sold.ticket, receipt: receipt)
    }

    /// Reads a card, resolves an open operation on it, and looks up its tickets.
    public func checkTickets(
        only card: CardUID? = nil
    ) async throws(TapcardError) -> CardTickets {
        try await CardTickets(of: try await ReadKnownCard(card: card).run(at: self), in: ledger)
    }

    /// The tickets bought with a card, or with all cards if none is given, newest first. Needs no
    /// reader.
    public static func tickets(
        of card: CardUID?, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [CardTicket] {
        try await CardTicket.tickets(of: card, in: ledger)
    }

    /// Random balls, all equally likely to within 2^-54.
    package func balls(under rules: LotteryRules) throws(TapcardError) -> Balls {
        try surroundings.balls(under: rules)
    }

    /// Books the prizes of all winning tickets of the card on the reader, or of the given ticket:
    /// each prize only once, even if another caller asks. Throws `.nothingWon` if no ticket has
    /// won.
    public func claimTickets(
        drawn: DrawList, prizes: PrizeTable, topPrizeUnit: TopPrizeUnit,
        naming name: TicketID? = nil, only card: CardUID? = nil
    ) async throws(TapcardError) -> PrizeReceipt {
        try limits.requireOwnCurrency(Money(minorUnits: 0, prizes.currency))
        return try await Claiming(
            drawn: drawn, prizes: prizes, topPrizeUnit: topPrizeUnit, naming: name,
            only: card
        ).run(at: self)
    }

    /// Books the prize of one of the tickets of the card on the reader as paid in cash.
    ///
    /// This is the ticket's one claim: a prize that was booked before is refused, with its time and
    /// cashier. Only a retry under the caller's own ID gets the same answer. The card proves whose
    /// ticket it is, and nothing is written to it; the tap resolves an open operation.
    public func payOutPrize(
        of name: TicketID, drawn: DrawList, prizes: PrizeTable, topPrizeUnit: TopPrizeUnit,
        id: OperationID? = nil, only card: CardUID? = nil
    ) async throws(TapcardError) -> PrizeReceipt {
        try limits.requireOwnCurrency(Money(minorUnits: 0, prizes.currency))
        return try await PayOutPrize(
            station: self, name: name, drawn: drawn, prizes: prizes, topPrizeUnit: topPrizeUnit
        ).receipt(id: id, only: card)
    }

    /// Stores a Mastermind game on the card on the reader, in place of any other; nil removes it.
    public func keepGame(
        _ game: MastermindGame?, id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> Receipt {
        try await CardChange(.game(game), id, only: card).run(at: self)
    }

    /// The card on the reader, with its game; the tap resolves an open operation.
    public func keptGame(
        only card: CardUID? = nil
    ) async throws(TapcardError) -> (card: CardSummary, game: MastermindGame?) {
        let summary = try await ReadKnownCard(card: card).run(at: self)
        return (summary, summary.game)
    }

    /// Sets the card's password on its tag: from then on only stations with the keys can write to
    /// it, but every phone can still read it.
    public func protect(
        id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> ProtectionChange {
        try await ProtectionSwitch(on: true, id, only: card).run(at: self)
    }

    /// Removes the password from the tag. This also works for the tag of a card that this ledger
    /// does not know, or that was given up and formatted, as long as its password comes from one of
    /// our keys.
    public func unprotect(
        id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> ProtectionChange {
        try await ProtectionSwitch(on: false, id, only: card).run(at: self)
    }

    /// Writes the ledger's state and every page that phones read to a card. A card that cannot be
    /// trusted is written to only if the operator enters its number; for a card whose number was
    /// entered, its password is searched for as well, because a restored ledger may not know it.
    public func repair(naming card: CardUID? = nil) async throws(TapcardError) -> CardSummary {
        try await RepairCard(card: card).run(at: self)
    }

    /// Blocks, unblocks, or forgets a card without a reader.
    public static func change(
        _ card: CardUID, _ change: StatusChange, in ledger: any LedgerStore,
        surroundings: Surroundings
    ) async throws(TapcardError) -> LedgerCard {
        try await change.carryOut(on: card, in: ledger, surroundings)
    }

    /// Reads everything that a tag reveals about itself.
    public func tagInfo() async throws(TapcardError) -> TagInfo { try await tools.info() }

    /// Reads all readable pages of the tag.
    public func dump() async throws(TapcardError) -> TagDump { try await tools.dump() }

    /// Writes the user pages of a dump to the tag. Lock bits, capability container, configuration
    /// and passwords are never written, because most of those changes could not be undone; nor are
    /// the pages that phones would take for lock bits. A card of this ledger is overwritten only on
    /// request, and if an old state was restored, that is reported at the next tap.
    public func restore(
        _ dump: TagDump, overwriting: Bool
    ) async throws(TapcardError) -> CardUID {
        try await tools.restore(dump, overwriting: overwriting)
    }

    /// Makes the tag blank again: an empty message, followed by zeros.
    public func format(overwriting: Bool) async throws(TapcardError) -> CardUID {
        try await tools.format(overwriting: overwriting)
    }

    /// The number of the card on the reader, found without reading its memory.
    public func cardOnReader() async throws(TapcardError) -> CardUID {
        try await tools.cardNumber()
    }

    /// Reads card after card until the task is canceled or `show` returns false. A card that stays
    /// on the reader is one tap, an empty reader is no error, and if the reader is unplugged, this
    /// waits for it.
    public func watch(
        resolving: Bool, _ show: (WatchEvent) async -> Bool
    ) async {
        await ReaderWatch(station: self).watch(resolving: resolving, show)
    }

    /// The newest operations on one card, or on all, oldest first. Needs no reader.
    public static func history(
        of card: CardUID?, last count: Int, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [HistoryLine] {
        try await History.lines(of: card, last: count, in: ledger)
    }

    /// Hands over the whole history of one card, or of all cards, row by row and in one consistent
    /// state. Other work on the ledger goes on in the meantime.
    public static func history<Shown: Sendable>(
        of card: CardUID?, in ledger: any LedgerStore,
        _ show: @escaping @Sendable (inout History) throws(LedgerError) -> Shown
    ) async throws(TapcardError) -> Shown {
        try await History.whole(of: card, in: ledger, show)
    }

    /// The activation attempts of a card and for its current code that belong to these lines of its
    /// history, oldest first; for all cards if none is given.
    public static func activations(
        of card: CardUID?, beside lines: [HistoryLine], in ledger: any LedgerStore
    ) async throws(TapcardError) -> [ActivationAttempt] {
        try await History.activations(of: card, beside: lines, in: ledger)
    }

    /// Combines the operations begun in a period, oldest first, each with the amounts it booked in
    /// addition to its own.
    public static func operations<Sum: Sendable>(
        begunSince start: Timestamp, until end: Timestamp, in ledger: any LedgerStore,
        into sum: Sum, _ add: @escaping @Sendable (inout Sum, Operation, BookedBesides) -> Void
    ) async throws(TapcardError) -> Sum {
        try await History.operations(
            begunSince: start, until: end, in: ledger, into: sum, add)
    }

    /// Checks every invariant over the whole ledger. If the time is given, also lists stations that
    /// have not reported in time.
    public static func audit(
        _ ledger: any LedgerStore, at now: Timestamp? = nil
    ) async throws(TapcardError) -> AuditReport {
        try await whileAsking(await ledger.audit(at: now.map(ledger.time(at:))))
    }

    /// Refuses an amount that no payment here may have.
    public func requirePayable(_ amount: Money) throws(TapcardError) {
        try limits.requirePositive(amount)
        try limits.requireUnderCeilings(.pay(amount))
    }

    /// Reads a card without the ledger and writes nothing. A chip that cannot prove that it is the
    /// card with its number in the snapshot is a copy.
    package func lookWithoutLedger(
        only card: CardUID? = nil, knowing snapshot: CardSnapshot? = nil
    ) async throws(TapcardError) -> UnconfirmedCard {
        var alone = withoutLedger
        alone.snapshot = snapshot
        return try await ReadOfflineCard(card: card).run(at: alone)
    }

    /// The refusal of an ID that the journal has for another payment.
    package func otherRequest(_ line: JournalLine) -> TapcardError {
        answering.mismatch(Operation(line))
    }

    /// The answer to a payment in the station's journal. `balance` is what is left on the card, as
    /// far as is known.
    package static func receipt(
        _ line: JournalLine, in journal: OfflineJournal, balance: Money, limit: Money,
        isReplayed: Bool
    ) -> Receipt {
        Receipt(line, in: journal, balance: balance, limit: limit, isReplayed: isReplayed)
    }
}
