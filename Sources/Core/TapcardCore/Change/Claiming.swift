import Ledger
public import TapcardDomain

extension Station {
    /// Books the prizes of all won tickets of the card on the reader, or of the one that is
    /// named: each once, whoever asks again. Throws `.nothingWon` where there is none.
    public func claimTickets(
        drawn: DrawList, prizes: PrizeTable, topPrizeUnit: TopPrizeUnit,
        naming name: TicketID? = nil, only card: CardUID? = nil
    ) async throws(TapcardError) -> PrizeReceipt {
        try requireOwnCurrency(Money(minorUnits: 0, prizes.currency))
        let reading = try await readKnown(only: card, finishing: .claim)
        let checked = try await afterSettling(reading) { () throws(TapcardError) in
            try await self.tickets(on: reading)
        }
        let uid = checked.card.uid
        let tickets = try checked.tickets(naming: name)
        var claims = Claims()
        for ticket in tickets {
            let draw = drawn[ticket.ticket.draw]
            if let claim = ticket.claim {
                let prize = try await afterSettling(reading) { () throws(TapcardError) in
                    try await booked(claim, ticket, draw, by: reading.settled)
                }
                claims.prizes.append(prize)
                continue
            }
            guard let draw else {
                claims.isToCome = true
                continue
            }
            guard let prize = prizes.prize(of: ticket.ticket, in: draw, topPrizeUnit) else {
                continue
            }
            do throws(TapcardError) {
                let receipt = try await claim(prize, of: ticket.ticket.id, on: uid)
                claims.last = receipt
                claims.settled += receipt.settled
                claims.prizes.append(
                    PrizeReceipt.Prize(ticket: ticket, draw: draw, receipt: receipt))
            } catch {
                claims.problem = error.refusing(
                    prize, of: ticket.ticket.id, above: ceilings.absolute.balance)
                // What is wrong with this ticket says nothing of the next; a card or a ledger that
                // is gone does.
                guard error.isOfOneTicket else { break }
            }
        }
        return try receipt(of: claims, on: checked.card, naming: name)
    }

    /// Books one prize onto the card. Where somebody else has booked it while the card was looked
    /// at, the other way even, that is told as done before.
    private func claim(
        _ prize: Money, of ticket: TicketID, on uid: CardUID
    ) async throws(TapcardError) -> Receipt {
        let id = OperationID(claiming: ticket)
        do {
            return try await change(.claim(ticket, prize), id: id, only: uid)
        } catch {
            guard error.kind == .operationMismatch, let known = try? await ledger.operation(id),
                known.kind.booksPrize, known.state == .committed
            else { throw error }
            return receipt(known, isReplayed: true)
        }
    }

    /// A prize that this very tap has brought to its end is not denied where the ledger goes away
    /// behind it.
    func afterSettling<Success: Sendable>(
        _ reading: CardReading, _ body: () async throws(TapcardError) -> Success
    ) async throws(TapcardError) -> Success {
        do throws(TapcardError) {
            return try await body()
        } catch {
            let error = error.telling(reading.settled)
            let claim = reading.settled.last { $0.operation.kind == .claim }
            guard let claim, error.result == .ledger else { throw error }
            throw TapcardError.doneUnread(claim.operation, because: error)
                .telling(reading.settled)
        }
    }

    /// How far the claiming has come.
    private struct Claims {
        var prizes: [PrizeReceipt.Prize] = []
        /// The one that was booked last.
        var last: Receipt?
        var problem: TapcardError?
        /// What was settled before a prize was booked.
        var settled: [Settled] = []
        /// Whether the last ticket is for a draw that is not known yet.
        var isToCome = false
    }

    /// A prize that the ledger has. What this very tap has brought to its end is not an old one.
    func booked(
        _ claim: CardTicket.Claim, _ ticket: CardTicket, _ draw: Draw?, by settled: [Settled]
    ) async throws(TapcardError) -> PrizeReceipt.Prize {
        let operation = try await whileAsking { () throws(LedgerError) in
            try await ledger.operation(claim.operation)
        }
        guard let operation else {
            throw TapcardError(
                LedgerError(.corrupt, "operation \(claim.operation) has vanished"))
        }
        return PrizeReceipt.Prize(
            ticket: ticket, draw: draw,
            receipt: receipt(
                operation,
                isReplayed: !settled.contains { $0.operation.id == operation.id }))
    }

    private func receipt(
        of claims: Claims, on card: CardReading, naming ticket: TicketID?
    ) throws(TapcardError) -> PrizeReceipt {
        let new = claims.prizes.filter { !$0.receipt.isReplayed }
        if new.isEmpty, let problem = claims.problem { throw problem }
        guard !claims.prizes.isEmpty else {
            guard let ticket else {
                throw TapcardError(
                    Refusal(
                        .nothingWon, "no ticket of the card has won in a draw that is known"),
                    uid: card.uid)
            }
            throw TapcardError.nothingWon(by: ticket, isToCome: claims.isToCome, uid: card.uid)
        }
        return PrizeReceipt(
            uid: card.uid, prizes: claims.prizes,
            balance: claims.last?.balance ?? card.balance ?? Money(minorUnits: 0, currency),
            display: claims.last?.display ?? card.display, problem: claims.problem,
            settled: card.settled + claims.settled)
    }
}

extension CardTickets {
    /// All of them, or the one that is named.
    func tickets(naming name: TicketID?) throws(TapcardError) -> [CardTicket] {
        guard let name else { return tickets }
        guard let ticket = tickets.first(where: { $0.ticket.id == name }) else {
            throw TapcardError(
                .refusal(.wrongState), "Ticket \(name) is not a ticket of card \(card.uid).",
                meaning: TapcardError.unchanged,
                next: [.lottery(.showTickets)], uid: card.uid)
        }
        return [ticket]
    }
}

extension OperationID {
    /// The one operation that may book a ticket's prize.
    init(claiming ticket: TicketID) { self.init(for: "claim", Array(ticket.text.utf8)) }
}

extension TapcardError {
    /// Whether another ticket of the same card can be claimed all the same.
    fileprivate var isOfOneTicket: Bool {
        [
            .refusal(.limitExceeded), .refusal(.alreadyClaimed), .refusal(.wrongState),
            .operationMismatch,
        ].contains(kind)
    }

    /// What to do with a prize that has no room on the card.
    fileprivate func refusing(
        _ prize: Money, of ticket: TicketID, above most: Money
    ) -> TapcardError {
        guard kind == .refusal(.limitExceeded) else { return self }
        let fitsOnNone = prize.minorUnits > most.minorUnits
        return saying(
            meaning: "The prize was not booked, and the ticket stays as good as it is.",
            next: [.lottery(.payPrizeOut(ticket, fitsOnNone: fitsOnNone))])
    }

    /// Nothing is booked for this ticket, and nothing was before.
    static func nothingWon(
        by ticket: TicketID, isToCome: Bool, uid: CardUID
    ) -> TapcardError {
        TapcardError(
            Refusal(
                .nothingWon,
                isToCome
                    ? "the draw of ticket \(ticket) is not known yet"
                    : "ticket \(ticket) has won nothing"), uid: uid)
    }
}
