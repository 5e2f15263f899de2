public import Ledger
public import TapcardDomain

/// The receipt for the purchase of a ticket.
public struct TicketReceipt: Sendable, Hashable {
    /// The ticket that was bought.
    public let ticket: Ticket
    /// The receipt for the payment.
    public let receipt: Receipt
}

/// A valid ticket, with the ledger's data about it.
public struct CardTicket: Sendable, Hashable {
    /// The ticket.
    public let ticket: Ticket
    /// The card with which the ticket was bought: the current card, or one that it has replaced.
    public let boughtWith: CardUID
    /// The operation that bought the ticket.
    public let purchase: OperationID
    /// The price paid.
    public let price: Money
    /// The time of the purchase.
    public let boughtAt: Timestamp
    /// The booking of the prize; nil if it has not been booked.
    public let claim: Claim?
    /// The status of the card whose tickets were requested; nil if no card was given.
    public let status: LedgerCard.Status?
    /// Whether the prize can never be claimed with any card.
    public let isAbandoned: Bool

    /// Whether a prize for the ticket could be booked now.
    public var canBeClaimed: Bool {
        claim == nil && !isAbandoned && (status ?? .active) == .active
    }

    /// The booked prize of a ticket.
    public struct Claim: Sendable, Hashable {
        /// The operation that booked the prize.
        public let operation: OperationID
        /// The prize.
        public let prize: Money
        /// The time of the booking.
        public let at: Timestamp
        /// Whether the prize was paid in cash instead of added to the card.
        public let isPaidOut: Bool
    }
}

/// A card and its tickets.
public struct CardTickets: Sendable, Hashable {
    /// The card.
    public let card: CardSummary
    /// Its tickets, newest first.
    public let tickets: [CardTicket]
}

/// The receipt for claiming a card's prizes.
public struct PrizeReceipt: Sendable, Hashable {
    /// The card's number.
    public let uid: CardUID
    /// The winning tickets, newest first, each with the receipt for its prize. The receipt is
    /// marked as replayed if the prize was booked before this tap.
    public let prizes: [Prize]
    /// The card's balance now.
    public let balance: Money
    /// Whether phones see the current state.
    public let display: DisplayState
    /// Why some prizes could not be booked, although the others were.
    public let problem: TapcardError?
    /// The operations from earlier taps that this tap resolved.
    public let resolved: [ResolvedOperation]

    /// A winning ticket, its draw, and the booking of its prize.
    public struct Prize: Sendable, Hashable {
        /// The winning ticket.
        public let ticket: CardTicket
        /// The draw; nil if the prize had already been booked and the lottery no longer lists the
        /// draw.
        public let draw: Draw?
        /// The receipt for the prize.
        public let receipt: Receipt

        /// The prize.
        public var prize: Money {
            Money(minorUnits: receipt.operation.amount, receipt.amount.currency)
        }
        /// Whether the prize was paid in cash instead of added to the card.
        public var isPaidOut: Bool { receipt.operation.kind == .payout }
    }

    /// Whether every prize had already been booked, so that nothing happened this time.
    public var isReplayed: Bool { prizes.allSatisfy(\.receipt.isReplayed) }
}

extension CardTickets {
    /// Looks up the tickets of a card that was just read.
    init(of summary: CardSummary, in ledger: any LedgerStore) async throws(TapcardError) {
        let tickets = try await queryingLedger(await ledger.tickets(of: summary.uid))
        self.init(
            card: summary, tickets: (tickets ?? []).map { CardTicket($0, ledger.currency) })
    }
}

extension CardTicket {
    /// The tickets bought with a card, or with all cards if none is given, newest first.
    public static func tickets(
        of card: CardUID?, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [CardTicket] {
        guard let tickets = try await queryingLedger(await ledger.tickets(of: card)) else {
            throw TapcardError(
                Refusal(
                    .cardUnknown,
                    card.map { "card \($0) is not in this ledger" } ?? "this card is not in this "
                        + "ledger"), uid: card)
        }
        return tickets.map { CardTicket($0, ledger.currency) }
    }
}

extension Station.Dependencies {
    /// Random balls, all equally likely except for a bias of less than 2^-54.
    func balls(under rules: LotteryRules) throws(TapcardError) -> Balls {
        func drawn(below limit: Int) -> Int {
            let bits = random(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            // With 64 random bits, the bias is less than 2^-54 for any limit below 1,024.
            return Int(bits % UInt64(limit))
        }
        return try translating(Balls.drawn(under: rules, random: drawn)) { (error: Refusal) in
            TapcardError(error)
        }
    }
}

/// Sells a ticket.
package struct TicketPurchase: UseCase {
    private let ticket: Ticket
    private var change: CardChange

    package init(
        _ ticket: Ticket, _ price: Money, _ id: OperationID, only card: CardUID? = nil,
        refusingIfJustResolved: Bool = false
    ) {
        self.ticket = ticket
        change = CardChange(
            .ticket(ticket, price), id, only: card, refusingIfJustResolved: refusingIfJustResolved)
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> TicketReceipt? {
        guard let receipt = try await change.step(at: station) else { return nil }
        let sold = try await translating(
            awaiting: await station.ledger.ticket(of: receipt.operation.id)
        ) { (error: LedgerError) in
            // The purchase is booked, so this must not look like a refusal.
            TapcardError.doneButUnreadable(receipt.operation, because: TapcardError(error))
        }
        // A retry has drawn new balls, but only the ticket in the ledger counts.
        return TicketReceipt(ticket: sold?.ticket ?? ticket, receipt: receipt)
    }
}

/// A tap that resolves a purchase whose draw is over. `pending` is nil, so the tap never writes the
/// payment to the card.
struct ResolvePurchase: TapUseCase {
    var tap = Tap()
    private var request: PendingRequest
    let card: CardUID?

    init(_ sold: SoldTicket, draw: DrawID, currency: Currency, only card: CardUID?) {
        // The ticket has the requested draw, so a request for a draw other than the one bought is
        // refused.
        let requested = Ticket(id: sold.ticket.id, draw: draw, balls: sold.ticket.balls)
        request = PendingRequest(
            sold.operation, .ticket(requested, Money(minorUnits: sold.price, currency)), only: card)
        // Only the card used for the purchase can show whether the ticket was paid for.
        self.card = card ?? sold.card
    }

    mutating func recall(at station: Station) async throws(TapcardError) -> Receipt? {
        request.operation = try await station.answering.known(
            request.id, request.action, only: request.only)
        return nil
    }

    func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<Receipt> {
        let known = try await asking(await station.ledger.operation(request.id))
        guard let known else { return .readAgain }
        return try await station.answering.ended(known, on: reading, tap.history)
    }

    func conclude(
        after error: TapcardError, at station: Station
    ) async -> Result<Receipt, TapcardError>? {
        await station.answering.conclude(request, tap.history, after: error)
    }
}

/// A tap that reads a card in this ledger and resolves an open operation on it. If it resolves an
/// operation of the kind `finishing`, the tap succeeds even if the card is removed afterward.
struct ReadKnownCard: TapUseCase {
    var tap = Tap()
    let card: CardUID?
    private let kind: Ledger.Operation.Kind?

    init(card: CardUID?, finishing kind: Ledger.Operation.Kind? = nil) {
        (self.card, self.kind) = (card, kind)
    }

    func carryOut(
        on reading: CardReading, at station: Station
    ) async throws(Interruption) -> Decision<CardSummary> {
        guard let known = reading.known else {
            throw try await station.unknownTags.refusal(reading)
        }
        return .done(await station.summaries.refreshed(reading, known, tap.history))
    }

    func conclude(
        after error: TapcardError, at station: Station
    ) async -> Result<CardSummary, TapcardError>? {
        guard let done = kind.flatMap(tap.history.done), !error.isCardAtFault else { return nil }
        do throws(Interruption) {
            return .success(
                try await station.summaries.card(
                    // The card has been removed, so phones may still see its old state.
                    done.uid, .outOfDate, resolved: tap.history.resolved(in: station.currency)))
        } catch {
            return .failure(TapcardError.doneButUnreadable(done, because: error.error))
        }
    }
}

extension TicketID {
    /// The ID of the ticket that an operation buys.
    package init(boughtBy operation: OperationID) {
        let digits = operation.derived(for: "ticket").description.filter { $0 != "-" }
        guard let id = TicketID("ticket-\(digits.prefix(12))") else {
            preconditionFailure("hexadecimal digits make a valid ID")
        }
        self = id
    }
}

extension CardTicket {
    init(_ valid: ValidTicket, _ currency: Currency) {
        let sold = valid.sold
        self.init(
            ticket: sold.ticket, boughtWith: sold.card, purchase: sold.operation,
            price: Money(minorUnits: sold.price, currency), boughtAt: sold.boughtAt,
            claim: valid.claim.map { claim in
                Claim(
                    operation: claim.id, prize: Money(minorUnits: claim.amount, currency),
                    at: claim.beganAt, isPaidOut: claim.kind == .payout)
            }, status: valid.status, isAbandoned: valid.isAbandoned)
    }
}

extension TapcardError {
    /// The error for a purchase that has begun, if it is not known whether its draw has taken
    /// place.
    public static func purchaseOpen(
        _ sold: SoldTicket, because error: TapcardError
    ) -> TapcardError {
        TapcardError(
            .outcomeUnknown,
            "\(error.what) \(Operation.Kind.ticket.titled(sold.operation)) is still open.",
            meaning: outcomeUnknown(of: .ticket),
            next: [.lottery(.resolvePurchase)],
            uid: sold.card, operation: sold.operation)
    }

    /// The error for a voided purchase, which also gives this error as the reason why the purchase
    /// cannot be repeated.
    public func ending(_ voided: TapcardError) -> TapcardError {
        guard voided.kind == .operationVoided else { return voided }
        return voided.reworded("\(what) \(voided.what)")
    }

    /// The error for a ticket that was bought, or a prize that was booked, if the ledger cannot be
    /// read now.
    static func doneButUnreadable(
        _ done: Operation, because error: TapcardError
    ) -> TapcardError {
        TapcardError(
            .outcomeUnknown,
            "\(error.what) The ticket's ID cannot be read from the ledger right now.",
            meaning: "\(done.kind.titled(done.id)) is recorded.",
            next: [.lottery(.checkTickets)],
            uid: done.uid, operation: done.id)
    }
}
