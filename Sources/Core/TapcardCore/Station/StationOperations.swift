public import Ledger
public import Tags
public import TapcardDomain

/// The operations of a station. Each method checks its parameters and runs a use case.
extension Station {
    /// This station, for a request whose amount someone has confirmed.
    public func confirmed() -> Station {
        var station = self
        station.settings.isConfirmed = true
        return station
    }

    /// Takes the payment for a sale. `amount` leaves out the part of the sale that is not paid with
    /// the card. `refusingIfJustResolved` is for callers without an ID of their own: if this tap
    /// has just resolved an identical payment, this method throws, and the card is not charged
    /// again.
    public func pay(
        _ amount: Money, for sale: Sale = .unitemized, id: OperationID,
        only card: CardUID? = nil, refusingIfJustResolved: Bool = false
    ) async throws(TapcardError) -> Receipt {
        try limits.requirePositive(amount)
        return try await CardChange(
            .pay(amount, sale), id, only: card, refusingIfJustResolved: refusingIfJustResolved
        ).run(at: self)
    }

    /// Adds money to a card for a sale in which the returned deposits were worth more than what was
    /// sold. `refusingIfJustResolved` is for callers without an ID of their own, as in `pay`.
    public func credit(
        _ amount: Money, for lines: [SaleLine], id: OperationID, only card: CardUID? = nil,
        refusingIfJustResolved: Bool = false
    ) async throws(TapcardError) -> Receipt {
        try limits.requirePositive(amount)
        return try await CardChange(
            .credit(amount, lines), id, only: card, refusingIfJustResolved: refusingIfJustResolved
        ).run(at: self)
    }

    /// Tops up a card. The customer has already paid, in cash by default.
    /// `refusingIfJustResolved` is for callers without an ID of their own, as in `pay`.
    public func add(
        _ amount: Money, paid tender: Tender = .cash, id: OperationID,
        only card: CardUID? = nil, refusingIfJustResolved: Bool = false
    ) async throws(TapcardError) -> Receipt {
        try limits.requirePositive(amount)
        return try await CardChange(
            .add(amount, paid: tender), id, only: card,
            refusingIfJustResolved: refusingIfJustResolved
        ).run(at: self)
    }

    /// Refunds a payment, or reverses a top-up, after which the cashier gives the cash back. An
    /// operation can be reversed only once, for at most its amount, and the balance never drops
    /// below zero. If the caller gives no ID, the ID is derived from the reversed operation, so
    /// that a retry counts as the same request.
    public func refund(
        _ reversed: OperationID, _ amount: Money? = nil, id: OperationID? = nil,
        only card: CardUID? = nil
    ) async throws(TapcardError) -> Receipt {
        if let amount { try limits.requirePositive(amount) }
        return try await Refund(of: reversed, amount, id: id, only: card).run(at: self)
    }

    /// Pays out a card's balance and closes the card. If this tap completes an earlier request to
    /// close the card, the receipt is for that request, because its money still has to be paid out.
    public func close(
        id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> Receipt {
        try await Closing(id, only: card).run(at: self)
    }

    /// Turns the tag on the reader into a card, or finishes making one after an interruption.
    public func make(
        _ cardRequest: CardRequest, id: OperationID
    ) async throws(TapcardError) -> CardSummary {
        try await CardMaking(cardRequest, id).run(at: self)
    }

    /// Reads a card and resolves what an interrupted tap left open on it. A card that cannot be
    /// trusted is not refused; its summary says what is wrong. If `resolving` is false or the
    /// ledger is read-only, nothing is ever written.
    ///
    /// If the ledger's server does not respond, the summary contains only what was read from the
    /// card.
    public func read(resolving isResolving: Bool = true) async throws(TapcardError) -> CardSummary {
        var unknown: CardReading?
        return try await ReadCard.summary(resolving: isResolving, at: self, &unknown)
    }

    /// The card's summary after a change.
    public func summary(after receipt: Receipt) async throws(TapcardError) -> CardSummary {
        try await summaries.summary(after: receipt)
    }

    /// Scratches the card: after the time set for scratching, by default two seconds, the card has
    /// a code. If the task is canceled before then, nothing changes.
    public func scratch(id: OperationID) async throws(TapcardError) -> Receipt {
        try await Scratching(id).run(at: self)
    }

    /// Activates the code of the card on the reader through the service.
    ///
    /// The attempt is recorded durably before the service is called, and the response is recorded
    /// durably before the card is written. An attempt without a response is repeated with the same
    /// code, even for a request with a new ID; that ID is stored with the attempt, so that a retry
    /// gets the same result. Canceling does not stop the call: the response is still recorded, and
    /// the next tap writes it to the card.
    public func activate(
        id: OperationID, through service: any ActivationService
    ) async throws(TapcardError) -> Receipt {
        try await Activation(id, through: service).run(at: self)
    }

    /// Sells a ticket with random balls. The price is first reserved, and then booked once the
    /// payment has been written to the card; until then, the ticket is not valid. A request with
    /// the same ID returns the same ticket. The caller has to make sure that the draw has not taken
    /// place yet.
    public func buyTicket(
        draw: DrawID, price: Money, rules: LotteryRules, id: OperationID,
        only card: CardUID? = nil, refusingIfJustResolved: Bool = false
    ) async throws(TapcardError) -> TicketReceipt {
        try limits.requirePositive(price)
        // The ticket's name is derived from the ID, so that a retry asks for the same ticket.
        let ticket = Ticket(id: TicketID(boughtBy: id), draw: draw, balls: try balls(under: rules))
        return try await TicketPurchase(
            ticket, price, id, only: card, refusingIfJustResolved: refusingIfJustResolved
        ).run(at: self)
    }

    /// Resolves an open purchase whose draw is over. After the draw, the payment must no longer be
    /// written to the card. The card can only show whether the ticket was already paid for; until
    /// the card is tapped, the purchase stays open.
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

    /// Random balls, all equally likely except for a bias of less than 2^-54.
    package func balls(under rules: LotteryRules) throws(TapcardError) -> Balls {
        try dependencies.balls(under: rules)
    }

    /// Books the prizes of all winning tickets that belong to the card on the reader, or only the
    /// prize of the given ticket. Each prize is booked only once, no matter how often it is
    /// claimed. Throws `.nothingWon` if no ticket has won.
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

    /// Books one ticket's prize as paid in cash. The ticket must belong to the card on the reader.
    ///
    /// A ticket's prize can be booked only once: if it has already been booked, this throws an
    /// error that says when and by which cashier. Only a retry with the caller's own ID gets the
    /// same receipt. The card shows whose ticket it is. Nothing is written to it for the payout,
    /// but an open operation on it is resolved.
    public func payOutPrize(
        of name: TicketID, drawn: DrawList, prizes: PrizeTable, topPrizeUnit: TopPrizeUnit,
        id: OperationID? = nil, only card: CardUID? = nil
    ) async throws(TapcardError) -> PrizeReceipt {
        try limits.requireOwnCurrency(Money(minorUnits: 0, prizes.currency))
        return try await PayOutPrize(
            station: self, name: name, drawn: drawn, prizes: prizes, topPrizeUnit: topPrizeUnit
        ).receipt(id: id, only: card)
    }

    /// Stores a Mastermind game on the card on the reader, in place of any other game; nil removes
    /// the game.
    public func saveGame(
        _ game: MastermindGame?, id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> Receipt {
        try await CardChange(.game(game), id, only: card).run(at: self)
    }

    /// The card on the reader and its game. An open operation on the card is resolved.
    public func savedGame(
        only card: CardUID? = nil
    ) async throws(TapcardError) -> (card: CardSummary, game: MastermindGame?) {
        let summary = try await ReadKnownCard(card: card).run(at: self)
        return (summary, summary.game)
    }

    /// Sets the card's password on its tag. From then on, only stations with the keys can write to
    /// the tag, but any phone can still read it.
    public func protect(
        id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> ProtectionChange {
        try await ProtectionSwitch(on: true, id, only: card).run(at: self)
    }

    /// Removes the password from the tag. This also works for the tag of a card that is not in this
    /// ledger, or that was closed or replaced and then formatted, provided that its password was
    /// derived from one of our keys.
    public func unprotect(
        id: OperationID, only card: CardUID? = nil
    ) async throws(TapcardError) -> ProtectionChange {
        try await ProtectionSwitch(on: false, id, only: card).run(at: self)
    }

    /// Writes the ledger's state and every page that phones read to a card. A card that cannot be
    /// trusted is written to only if the operator enters its number. In that case, the station also
    /// searches its own keys for the one from which the tag's password was derived, because a
    /// restored ledger may not specify it.
    public func repair(naming card: CardUID? = nil) async throws(TapcardError) -> CardSummary {
        try await RepairCard(card: card).run(at: self)
    }

    /// Blocks or unblocks a card, or removes its cardholder's name, without a reader.
    public static func change(
        _ card: CardUID, _ change: StatusChange, in ledger: any LedgerStore,
        dependencies: Dependencies
    ) async throws(TapcardError) -> LedgerCard {
        try await change.carryOut(on: card, in: ledger, dependencies)
    }

    /// Reads all the information about the tag on the reader.
    public func tagInfo() async throws(TapcardError) -> TagInfo {
        try await TagInspection(station: self).info()
    }

    /// Reads all readable pages of the tag.
    public func dump() async throws(TapcardError) -> TagDump { try await tools.dump() }

    /// Writes the user pages of a dump to the tag. Lock bits, the capability container, the
    /// configuration, and passwords are never written, because most of those changes could not be
    /// undone. The pages that phones would take for lock bits are not written, either. A card in
    /// this ledger is overwritten only on request; if that restored an old state, the next tap
    /// reports it.
    public func restore(
        _ dump: TagDump, overwriting: Bool
    ) async throws(TapcardError) -> CardUID {
        try await tools.restore(dump, overwriting: overwriting)
    }

    /// Makes the tag blank again: it then contains an empty message, followed by zeros.
    public func format(overwriting: Bool) async throws(TapcardError) -> CardUID {
        try await tools.format(overwriting: overwriting)
    }

    /// The number of the card on the reader, found without reading its memory.
    public func cardOnReader() async throws(TapcardError) -> CardUID {
        try await tools.cardNumber()
    }

    /// Reads card after card until the task is canceled or a closure returns false. A card that
    /// stays on the reader counts as one tap. If the reader is unplugged, waits until it is back.
    ///
    /// While `readsTags` returns true, calls `showTag` for a tag that is not a card, with the reason
    /// and, if it can be read, the tag's content. Writes to tags only if `resolving` is true.
    ///
    /// Without `advising`, an error for a tag that is not a card comes sooner, but its next step may
    /// not work.
    package func watchTags(
        resolving: Bool = false, advising: Bool = true,
        reading readsTags: @escaping @Sendable () -> Bool,
        _ showTag: (TagIdentity, TagReading?, TapcardError) async -> Bool,
        _ show: (WatchEvent) async -> Bool
    ) async {
        var station = self
        station.settings.checksAdvice = advising
        await ReaderWatch(station: station, readsTags: readsTags)
            .watch(resolving: resolving, showTag: showTag, show)
    }

    /// Checks every invariant of the ledger. If a time is given, also lists the stations
    /// whose reports are overdue at that time.
    public static func audit(
        _ ledger: any LedgerStore, at now: Timestamp? = nil
    ) async throws(TapcardError) -> AuditReport {
        try await queryingLedger(await ledger.audit(at: now.map(ledger.time(at:))))
    }

    /// Refuses an amount that is not allowed for any payment at this station.
    public func requirePayable(_ amount: Money) throws(TapcardError) {
        try limits.requirePositive(amount)
        try limits.requireWithinCeilings(.pay(amount))
    }

    /// Reads a card without the ledger and writes nothing. If the snapshot contains the chip's
    /// number and the chip cannot prove that it is that card, the chip is refused as a copy.
    package func readWithoutLedger(
        only card: CardUID? = nil, snapshot: CardSnapshot? = nil
    ) async throws(TapcardError) -> UnconfirmedCard {
        var offlineStation = withoutLedger
        offlineStation.snapshot = snapshot
        return try await ReadOfflineCard(card: card).run(at: offlineStation)
    }

    /// The refusal of a request whose ID already belongs to another payment in the journal.
    package func otherRequest(_ line: JournalLine) -> TapcardError {
        answering.mismatch(Operation(line))
    }

    /// The receipt for a payment in the station's journal. `balance` is what is left on the card,
    /// as far as this station knows.
    package static func receipt(
        _ line: JournalLine, in journal: OfflineJournal, balance: Money, limit: Money,
        isReplayed: Bool
    ) -> Receipt {
        Receipt(line, in: journal, balance: balance, limit: limit, isReplayed: isReplayed)
    }
}
