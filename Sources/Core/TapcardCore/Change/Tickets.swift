public import Ledger
public import TapcardDomain

/// A ticket that was bought: what it is, and the payment for it.
public struct TicketReceipt: Sendable, Hashable {
    public let ticket: Ticket
    public let receipt: Receipt
}

/// A ticket that counts, with what the ledger knows of it.
public struct CardTicket: Sendable, Hashable {
    public let ticket: Ticket
    /// The card that bought it: the one in hand, or one that it replaces.
    public let boughtWith: CardUID
    public let purchase: OperationID
    public let price: Money
    public let boughtAt: Timestamp
    /// Nil while its prize was not claimed.
    public let claim: Claim?
    /// What has become of the card that was asked about; nil where none was named.
    public let status: LedgerCard.Status?
    /// Whether no card can claim its prize any more.
    public let isGivenUp: Bool

    /// Whether its prize could be booked now, if it has one.
    public var canBeClaimed: Bool {
        claim == nil && !isGivenUp && (status ?? .active) == .active
    }

    /// The prize of a ticket, once it is booked.
    public struct Claim: Sendable, Hashable {
        public let operation: OperationID
        public let prize: Money
        public let at: Timestamp
        /// Whether it was paid out of the drawer and not added to the card.
        public let isPaidOut: Bool
    }
}

/// A card with its tickets, newest first.
public struct CardTickets: Sendable, Hashable {
    public let card: CardReading
    public let tickets: [CardTicket]
}

/// What claiming the prizes of a card has brought.
public struct PrizeReceipt: Sendable, Hashable {
    public let uid: CardUID
    /// Each won ticket, the newest first, with the booking of its prize; replayed where it was
    /// booked before this tap.
    public let prizes: [Prize]
    /// What the card holds now.
    public let balance: Money
    public let display: DisplayState
    /// Why not every prize was booked; the others were.
    public let problem: TapcardError?
    /// What earlier taps had left open on the card and this one has settled.
    public let settled: [Settled]

    /// A won ticket, the draw that it won in, and the booking of its prize.
    public struct Prize: Sendable, Hashable {
        public let ticket: CardTicket
        /// Nil where the prize was booked before, and the lottery has left the draw out since.
        public let draw: Draw?
        public let receipt: Receipt

        public var prize: Money {
            Money(minorUnits: receipt.operation.amount, receipt.amount.currency)
        }
        /// Whether it was paid out of the drawer and not added to the card.
        public var isPaidOut: Bool { receipt.operation.kind == .payout }
    }

    /// Whether every prize was booked before: nothing happened this time.
    public var isReplayed: Bool { prizes.allSatisfy(\.receipt.isReplayed) }
}

extension Station {
    /// Sells a ticket with random balls. The price is held, and booked when the card has it; until
    /// then there is no ticket. The same id gets the same ticket. That the draw is still to come
    /// is for the caller to know.
    public func buyTicket(
        draw: DrawID, price: Money, rules: LotteryRules, id: OperationID,
        only card: CardUID? = nil, refusingRepetition: Bool = false
    ) async throws(TapcardError) -> TicketReceipt {
        try requirePositive(price)
        let ticket = Ticket(id: TicketID(boughtBy: id), draw: draw, balls: try balls(under: rules))
        return try await run(
            TicketPurchase(
                ticket, price, id, only: card, refusingRepetition: refusingRepetition))
    }

    /// Settles a purchase that was begun and whose draw is over: only the card can say now that it
    /// was paid. Nothing is written anew for it; without its card it stays open.
    public func finishPurchase(
        _ sold: SoldTicket, draw: DrawID, only card: CardUID? = nil
    ) async throws(TapcardError) -> TicketReceipt {
        let receipt = try await run(
            Tapping(PurchaseSettling(sold, draw: draw, currency: currency, only: card)))
        return TicketReceipt(ticket: sold.ticket, receipt: receipt)
    }

    /// Reads a card, settles what is open on it, and looks up its tickets.
    public func checkTickets(
        only card: CardUID? = nil
    ) async throws(TapcardError) -> CardTickets {
        try await tickets(on: try await run(Tapping(KnownCardRequest(card: card))))
    }

    /// The tickets of a card that was read.
    func tickets(on reading: CardReading) async throws(TapcardError) -> CardTickets {
        let tickets = try await whileAsking { () throws(LedgerError) in
            try await ledger.tickets(of: reading.uid)
        }
        return CardTickets(
            card: reading, tickets: (tickets ?? []).map { CardTicket($0, currency) })
    }

    /// The tickets of a card that need not be there, newest first; of all cards where none is
    /// named.
    public static func tickets(
        of card: CardUID?, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [CardTicket] {
        let tickets: [CountingTicket]?
        do {
            tickets = try await ledger.tickets(of: card)
        } catch {
            throw TapcardError(error)
        }
        guard let tickets else {
            throw TapcardError(
                Refusal(
                    .cardUnknown,
                    "this ledger knows no card \(card.map(\.description) ?? "")"), uid: card)
        }
        return tickets.map { CardTicket($0, ledger.currency) }
    }

    /// Each ball with the same chance, but for less than one in 2^54.
    package func balls(under rules: LotteryRules) throws(TapcardError) -> Balls {
        do {
            return try Balls.drawn(under: rules) { limit in
                let dealt = surroundings.random(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
                return Int(dealt % UInt64(limit))
            }
        } catch {
            throw TapcardError(error)
        }
    }
}

/// The purchase of a ticket.
package struct TicketPurchase: UseCase {
    private let ticket: Ticket
    private var change: CardChange

    package init(
        _ ticket: Ticket, _ price: Money, _ id: OperationID, only card: CardUID? = nil,
        refusingRepetition: Bool = false
    ) {
        self.ticket = ticket
        change = CardChange(
            .ticket(ticket, price), id, only: card, refusingRepetition: refusingRepetition)
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> TicketReceipt? {
        guard let receipt = try await change.step(at: station) else { return nil }
        let sold: SoldTicket?
        do {
            sold = try await station.ledger.ticket(of: receipt.operation.id)
        } catch {
            throw TapcardError.doneUnread(receipt.operation, because: TapcardError(error))
        }
        return TicketReceipt(ticket: sold?.ticket ?? ticket, receipt: receipt)
    }
}

/// A purchase whose draw is over: the card is read for no operation, so that nothing new is written
/// for it.
private struct PurchaseSettling: TapRequest {
    private let intent: Intent
    private var request: PendingRequest
    private var only: CardUID?
    let card: CardUID?

    init(_ sold: SoldTicket, draw: DrawID, currency: Currency, only card: CardUID?) {
        let asked = Ticket(id: sold.ticket.id, draw: draw, balls: sold.ticket.balls)
        intent = .ticket(asked, Money(minorUnits: sold.price, currency))
        request = PendingRequest(sold.operation, intent, only: card)
        (only, self.card) = (card, card ?? sold.card)
    }

    mutating func recall(at station: Station) async throws(TapcardError) -> Receipt? {
        request.operation = try await station.known(request.id, intent, only: only)
        return nil
    }

    func carryOut(
        on sight: Sight, _ history: TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<Receipt> {
        let known = try await station.asking { () throws(LedgerError) in
            try await station.ledger.operation(request.id)
        }
        return Decision(
            try known.flatMap { known throws(Interruption) in
                try station.finished(known, history)
            })
    }

    func conclude(
        after error: TapcardError, _ history: TapHistory, at station: Station
    ) async -> Result<Receipt, TapcardError>? {
        await station.conclude(request, history, after: error)
    }
}

/// A look at a card of this ledger, with what was open on it settled. Where that was of the kind
/// that is asked for, the card may be gone by then.
struct KnownCardRequest: TapRequest {
    let card: CardUID?
    private let kind: Ledger.Operation.Kind?

    init(card: CardUID?, finishing kind: Ledger.Operation.Kind? = nil) {
        (self.card, self.kind) = (card, kind)
    }

    func carryOut(
        on sight: Sight, _ history: TapHistory, at station: Station
    ) async throws(Interruption) -> Decision<CardReading> {
        guard let view = sight.view else {
            throw .refused(try await station.strangerRefusal(sight))
        }
        return .done(try await station.reading(quiet: sight, view, history))
    }

    func conclude(
        after error: TapcardError, _ history: TapHistory, at station: Station
    ) async -> Result<CardReading, TapcardError>? {
        guard let done = kind.flatMap(history.done), !error.blamesCard else { return nil }
        do throws(Interruption) {
            return .success(
                try await station.reading(
                    of: done.uid, .outOfDate, settled: station.settled(history)))
        } catch {
            return .failure(TapcardError.doneUnread(done, because: error.error))
        }
    }
}

extension TicketID {
    /// The name of the ticket that an operation buys.
    package init(boughtBy operation: OperationID) {
        let digits = operation.derived(for: "ticket").description.filter { $0 != "-" }
        guard let id = TicketID("ticket-\(digits.prefix(12))") else {
            preconditionFailure("hexadecimal digits make a name")
        }
        self = id
    }
}

extension CardTicket {
    init(_ counting: CountingTicket, _ currency: Currency) {
        let sold = counting.sold
        self.init(
            ticket: sold.ticket, boughtWith: sold.card, purchase: sold.operation,
            price: Money(minorUnits: sold.price, currency), boughtAt: sold.boughtAt,
            claim: counting.claim.map { claim in
                Claim(
                    operation: claim.id, prize: Money(minorUnits: claim.amount, currency),
                    at: claim.begunAt, isPaidOut: claim.kind == .payout)
            }, status: counting.status, isGivenUp: counting.isGivenUp)
    }
}

extension TapcardError {
    /// A purchase that was begun, while nobody can say whether its draw is still to come.
    public static func purchaseOpen(
        _ sold: SoldTicket, because error: TapcardError
    ) -> TapcardError {
        TapcardError(
            .outcomeUnknown,
            "\(error.what) The \(Operation.Kind.ticket.noun) \(sold.operation) is still open.",
            meaning: "Whether the card has it is not known; until then it is not done.",
            next: [.lottery(.settlePurchase)],
            uid: sold.card, operation: sold.operation)
    }

    /// A purchase came to nothing, and why it could not be made any more.
    public func ending(_ voided: TapcardError) -> TapcardError {
        guard voided.kind == .operationVoided else { return voided }
        return voided.saying("\(what) \(voided.what)")
    }

    /// A ticket was bought or a prize booked, and the ledger cannot be asked which.
    static func doneUnread(
        _ done: Operation, because error: TapcardError
    ) -> TapcardError {
        TapcardError(
            .outcomeUnknown, "\(error.what) The ledger cannot be asked which ticket it is about.",
            meaning: "The \(done.kind.noun) \(done.id) is done, and the ledger has it.",
            next: [.lottery(.checkTickets)],
            uid: done.uid, operation: done.id)
    }
}
