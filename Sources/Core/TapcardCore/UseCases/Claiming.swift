import Ledger
package import TapcardDomain

/// Books a card's prizes: one tap reads the card, and then each prize is booked as a separate
/// change.
package struct Claiming: UseCase {
    private enum Phase: Sendable, Hashable {
        case reading(ReadKnownCard)
        case claiming(Claims)
    }

    private let drawn: DrawList
    private let prizes: PrizeTable
    private let topPrizeUnit: TopPrizeUnit
    private let name: TicketID?
    private var phase: Phase

    package init(
        drawn: DrawList, prizes: PrizeTable, topPrizeUnit: TopPrizeUnit,
        naming name: TicketID? = nil, only card: CardUID? = nil
    ) {
        (self.drawn, self.prizes, self.topPrizeUnit) = (drawn, prizes, topPrizeUnit)
        self.name = name
        phase = .reading(ReadKnownCard(card: card, finishing: .claim))
    }

    package mutating func step(at station: Station) async throws(TapcardError) -> PrizeReceipt? {
        switch phase {
        case .reading(var reading):
            let summary = try await reading.step(at: station)
            phase = .reading(reading)
            guard let summary else { return nil }
            let checked = try await summary.afterResolving { () throws(TapcardError) in
                try await CardTickets(of: summary, in: station.ledger)
            }
            phase = .claiming(
                Claims(card: checked.card, remaining: try checked.tickets(naming: name)))
        case .claiming(var claims):
            defer { phase = .claiming(claims) }
            if claims.change != nil {
                try await claims.takeStep(at: station)
            } else if let ticket = claims.remaining.popFirst() {
                try await begin(ticket, &claims, at: station)
            } else {
                return try receipt(of: claims, at: station)
            }
        }
        return nil
    }

    private func begin(
        _ ticket: CardTicket, _ claims: inout Claims, at station: Station
    ) async throws(TapcardError) {
        let draw = drawn[ticket.ticket.draw]
        // If the prize has already been booked, perhaps during this tap, it is only reported.
        if let claim = ticket.claim {
            let summary = claims.card
            let prize = try await summary.afterResolving { () throws(TapcardError) in
                try await booked(claim, ticket, draw, by: summary.resolved, at: station)
            }
            claims.prizes.append(prize)
            return
        }
        guard let draw else {
            claims.isDrawPending = true
            return
        }
        guard let prize = prizes.prize(of: ticket.ticket, in: draw, topPrizeUnit) else { return }
        claims.change = Claims.Change(ticket, draw, prize, on: claims.card.uid)
    }

    /// The prize that an earlier operation booked. It counts as new if this tap completed that
    /// operation.
    private func booked(
        _ claim: CardTicket.Claim, _ ticket: CardTicket, _ draw: Draw?,
        by resolved: [ResolvedOperation], at station: Station
    ) async throws(TapcardError) -> PrizeReceipt.Prize {
        let operation = try await queryingLedger(await station.ledger.operation(claim.operation))
        guard let operation else {
            throw TapcardError(
                LedgerError(
                    .corrupt,
                    "operation \(claim.operation) should be in the ledger but is missing"))
        }
        return PrizeReceipt.Prize(
            ticket: ticket, draw: draw,
            receipt: station.answering.receipt(
                operation,
                isReplayed: !resolved.contains { $0.operation.id == operation.id }))
    }

    private func receipt(
        of claims: Claims, at station: Station
    ) throws(TapcardError) -> PrizeReceipt {
        let card = claims.card
        let new = claims.prizes.filter { !$0.receipt.isReplayed }
        // Prizes booked now are reported even if a later one could not be booked.
        if new.isEmpty, let problem = claims.problem { throw problem }
        guard !claims.prizes.isEmpty else {
            guard let name else {
                throw TapcardError(
                    Refusal(
                        .nothingWon,
                        "no ticket on this card has won a prize in a known draw"
                            + (claims.isDrawPending
                                ? "; some of its tickets are for draws that are not known" : "")),
                    uid: card.uid)
            }
            throw TapcardError.nothingWon(
                by: name, isDrawPending: claims.isDrawPending, uid: card.uid)
        }
        return PrizeReceipt(
            uid: card.uid, prizes: claims.prizes,
            balance: claims.last?.balance ?? card.balance
                ?? Money(minorUnits: 0, station.currency),
            display: claims.last?.display ?? card.display, problem: claims.problem,
            resolved: card.resolved + claims.resolved)
    }
}

/// The progress of booking a card's prizes.
private struct Claims: Sendable, Hashable {
    /// The booking of one prize.
    struct Change: Sendable, Hashable {
        let ticket: CardTicket
        let draw: Draw
        let prize: Money
        let id: OperationID
        var change: CardChange

        init(_ ticket: CardTicket, _ draw: Draw, _ prize: Money, on uid: CardUID) {
            (self.ticket, self.draw, self.prize) = (ticket, draw, prize)
            id = OperationID(claiming: ticket.ticket.id)
            change = CardChange(.claim(ticket.ticket.id, prize), id, only: uid)
        }
    }

    let card: CardSummary
    /// The tickets still to be checked.
    var remaining: ArraySlice<CardTicket>
    var change: Change?
    var prizes: [PrizeReceipt.Prize] = []
    /// The most recent receipt.
    var last: Receipt?
    var problem: TapcardError?
    /// The operations resolved before a prize was booked.
    var resolved: [ResolvedOperation] = []
    /// Whether any ticket's draw is not known yet.
    var isDrawPending = false

    init(card: CardSummary, remaining: [CardTicket]) {
        (self.card, self.remaining) = (card, remaining[...])
    }

    /// Takes the next step. If another caller has booked a prize since the card was read, whether
    /// on the card or in cash, the prize is reported as already booked.
    mutating func takeStep(at station: Station) async throws(TapcardError) {
        guard var booking = change else { return }
        do throws(TapcardError) {
            let receipt = try await booking.change.step(at: station)
            change = booking
            if let receipt { take(receipt, of: booking) }
        } catch {
            change = nil
            // The ID is derived from the ticket, so a mismatch means that another caller has booked
            // this prize in a different way.
            if error.kind == .operationMismatch,
                let known = try? await station.ledger.operation(booking.id),
                known.kind.recordsPrize, known.state == .committed
            {
                take(station.answering.receipt(known, isReplayed: true), of: booking)
                return
            }
            problem = error.refusing(
                booking.prize, of: booking.ticket.ticket.id,
                above: station.limits.ceilings.absolute.balance)
            // A problem with one ticket does not affect the next; a missing card or ledger does.
            if !error.concernsOneTicketOnly { remaining = [] }
        }
    }

    private mutating func take(_ receipt: Receipt, of booking: Change) {
        change = nil
        last = receipt
        resolved += receipt.resolved
        prizes.append(
            PrizeReceipt.Prize(ticket: booking.ticket, draw: booking.draw, receipt: receipt))
    }
}

extension CardSummary {
    /// Runs a query after the tap has resolved any open operation. If the query fails, the error
    /// still reports what the tap resolved.
    func afterResolving<Success: Sendable>(
        _ body: () async throws(TapcardError) -> Success
    ) async throws(TapcardError) -> Success {
        do throws(TapcardError) {
            return try await body()
        } catch {
            let error = error.reporting(resolved)
            let claim = resolved.last { $0.operation.kind == .claim }
            guard let claim, error.result == .ledger else { throw error }
            throw TapcardError.doneButUnreadable(claim.operation, because: error)
                .reporting(resolved)
        }
    }
}

extension CardTickets {
    /// All tickets, or only the given one; throws if the card does not have it.
    func tickets(naming name: TicketID?) throws(TapcardError) -> [CardTicket] {
        guard let name else { return tickets }
        guard let ticket = tickets.first(where: { $0.ticket.id == name }) else {
            throw TapcardError(
                .refusal(.wrongState), "Ticket \(name) does not belong to card \(card.uid).",
                meaning: TapcardError.unchanged,
                next: [.lottery(.showTickets)], uid: card.uid)
        }
        return [ticket]
    }
}

extension OperationID {
    /// The ID of the only operation that may add a ticket's prize to a card. It is derived from the
    /// ticket, so that all stations request the same operation.
    init(claiming ticket: TicketID) { self.init(for: "claim", Array(ticket.text.utf8)) }
}

extension TapcardError {
    /// Whether the error concerns only one ticket, so that the card's other tickets can still be
    /// claimed.
    fileprivate var concernsOneTicketOnly: Bool {
        [
            .refusal(.limitExceeded), .refusal(.alreadyClaimed), .refusal(.wrongState),
            .operationMismatch,
        ].contains(kind)
    }

    /// This error, with an explanation and the next step if the prize exceeds a limit.
    fileprivate func refusing(
        _ prize: Money, of ticket: TicketID, above maximum: Money
    ) -> TapcardError {
        guard kind == .refusal(.limitExceeded) else { return self }
        // A prize above this limit does not fit even on an empty card.
        let exceedsEveryCard = prize.minorUnits > maximum.minorUnits
        return reworded(
            meaning:
                "The prize is more than the card can hold or than a limit allows, so it was not "
                + "recorded; the ticket can still be claimed.",
            next: [.lottery(.payOutPrizeInCash(ticket, exceedsEveryCard: exceedsEveryCard))])
    }

    /// The refusal for a ticket that has not won, or whose draw is not known yet.
    static func nothingWon(
        by ticket: TicketID, isDrawPending: Bool, uid: CardUID
    ) -> TapcardError {
        TapcardError(
            Refusal(
                .nothingWon,
                isDrawPending
                    ? "the draw for ticket \(ticket) is not known yet"
                    : "ticket \(ticket) did not win"), uid: uid)
    }
}
