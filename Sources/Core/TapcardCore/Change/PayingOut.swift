import Ledger
public import TapcardDomain

extension Station {
    /// Books the prize of one ticket of the card on the reader as paid out of the drawer. It is the
    /// claim of that ticket, which happens once: what is on the card already is refused, and what
    /// was paid out before comes back as replayed.
    ///
    /// The card shows whose ticket it is, and what was open on it is settled; nothing is written to
    /// it.
    public func payOutPrize(
        of name: TicketID, drawn: DrawList, prizes: PrizeTable, topPrizeUnit: TopPrizeUnit,
        only card: CardUID? = nil
    ) async throws(TapcardError) -> PrizeReceipt {
        try requireOwnCurrency(Money(minorUnits: 0, prizes.currency))
        let reading = try await readKnown(only: card, finishing: .claim)
        let checked = try await afterSettling(reading) { () throws(TapcardError) in
            try await self.tickets(on: reading)
        }
        let ticket = try checked.tickets(naming: name)[0]
        let draw = drawn[ticket.ticket.draw]
        let paid: PrizeReceipt.Prize
        if let claim = ticket.claim {
            guard claim.isPaidOut else {
                throw TapcardError.onTheCard(claim, of: name, uid: reading.uid)
            }
            paid = try await booked(claim, ticket, draw, by: nil)
        } else {
            guard let draw, let prize = prizes.prize(of: ticket.ticket, in: draw, topPrizeUnit)
            else {
                throw TapcardError.nothingWon(by: name, isToCome: draw == nil, uid: reading.uid)
            }
            let (operation, isReplayed) = try await payOut(prize, of: name, on: reading.uid)
            paid = PrizeReceipt.Prize(
                ticket: ticket, draw: draw, receipt: receipt(operation, isReplayed: isReplayed))
        }
        return PrizeReceipt(
            uid: reading.uid, prizes: [paid],
            balance: reading.balance ?? Money(minorUnits: 0, currency), display: reading.display,
            problem: nil)
    }

    /// Whoever hears that it is booked pays. So nobody hears it who may not be the one that has
    /// booked it.
    private func payOut(
        _ prize: Money, of ticket: TicketID, on uid: CardUID
    ) async throws(TapcardError) -> (Operation, isReplayed: Bool) {
        let payout: PrizePayout
        do {
            payout = try await ledger.payOut(
                prize, of: ticket, on: uid, id: OperationID(claiming: ticket), by: cashier,
                at: now)
        } catch {
            throw TapcardError.payingNothing(error, for: ticket, uid: uid)
        }
        switch payout {
        case .booked(let operation): return (operation, false)
        case .earlier(let operation): return (operation, true)
        case .refused(let refusal):
            let error = TapcardError(refusal, uid: uid)
            throw TapcardError(
                error.kind, error.what, meaning: "Nothing was booked: pay nothing out.",
                advice: error.advice, uid: uid)
        }
    }
}

extension TapcardError {
    /// The prize is among the card's funds already.
    fileprivate static func onTheCard(
        _ claim: CardTicket.Claim, of ticket: TicketID, uid: CardUID
    ) -> TapcardError {
        TapcardError(
            .alreadyClaimed,
            "The prize of ticket \(ticket), \(claim.prize.shown), is on the card: operation "
                + "\(claim.operation) has added it.",
            meaning: "Nothing was booked: pay nothing out.",
            advice: "tapcard history shows the operations.", uid: uid)
    }

    /// The ledger failed while the payout was to be booked.
    fileprivate static func payingNothing(
        _ error: LedgerError, for ticket: TicketID, uid: CardUID
    ) -> TapcardError {
        let failure = TapcardError(error)
        guard error.kind == .outcomeUnknown else {
            return TapcardError(
                failure.kind, failure.what, meaning: "Nothing was booked: pay nothing out.",
                advice: failure.advice, uid: uid)
        }
        return TapcardError(
            .outcomeUnknown,
            "\(failure.what) Whether the payout for ticket \(ticket) is booked is not known.",
            meaning: "Pay nothing out yet.",
            advice: "When the disk is well again, look at tapcard history --card \(uid): if the "
                + "payout is there, pay it, once; if not, book it again.", uid: uid)
    }
}
