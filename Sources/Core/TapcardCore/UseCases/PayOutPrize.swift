import Ledger
import TapcardDomain

/// Pays out one ticket's prize in cash.
struct PayOutPrize: StationWork {
    let station: Station
    let name: TicketID
    let drawn: DrawList
    let prizes: PrizeTable
    let topPrizeUnit: TopPrizeUnit

    /// Books the payout, or finds the payout that this caller requested earlier.
    func receipt(
        id: OperationID?, only card: CardUID?
    ) async throws(TapcardError) -> PrizeReceipt {
        // A client that repeats its ID gets its receipt, even if the card is no longer there.
        if let id, let known = try await repeated(id, only: card) {
            return try await receipt(of: known)
        }
        let summary = try await ReadKnownCard(card: card, finishing: .claim).run(at: station)
        return try await summary.afterResolving { () throws(TapcardError) in
            let ticket = try await CardTickets(of: summary, in: ledger)
                .tickets(naming: name)[0]
            // The prize has already been booked, so it must not be paid out again.
            if let claim = ticket.claim {
                if SafetyRule.payoutIsReportedOnce.isDisabled,
                    let paid = try await queryingLedger(await ledger.operation(claim.operation))
                {
                    return try await receipt(of: paid)
                }
                throw try await alreadyBooked(claim, summary.uid)
            }
            let draw = drawn[ticket.ticket.draw]
            guard let draw, let prize = prizes.prize(of: ticket.ticket, in: draw, topPrizeUnit)
            else {
                throw TapcardError.nothingWon(
                    by: name, isDrawPending: draw == nil, uid: summary.uid)
            }
            let operation = try await payOut(prize, on: summary.uid, id: id)
            return receipt(
                PrizeReceipt.Prize(
                    ticket: ticket, draw: draw,
                    receipt: station.answering.receipt(operation, isReplayed: false)),
                on: summary)
        }
    }

    /// The earlier payout with this ID; nil for a new ID.
    private func repeated(
        _ id: OperationID, only card: CardUID?
    ) async throws(TapcardError) -> Operation? {
        let known = try await queryingLedger(await ledger.operation(id))
        guard let known else { return nil }
        guard known.kind == .payout, known.subject == .prize(name), card ?? known.uid == known.uid
        else { throw station.answering.mismatch(known) }
        return known
    }

    private func receipt(
        of payout: Operation
    ) async throws(TapcardError) -> PrizeReceipt {
        let tickets = try await CardTicket.tickets(of: payout.uid, in: ledger)
        guard let ticket = tickets.first(where: { $0.ticket.id == name }) else {
            // The payout is booked, so this must not look like a refusal.
            throw TapcardError.doneButUnreadable(
                payout,
                because: TapcardError(
                    .refusal(.wrongState),
                    "Ticket \(name) is no longer valid, because its card was closed or reissued.",
                    uid: payout.uid))
        }
        let prize = PrizeReceipt.Prize(
            ticket: ticket, draw: drawn[ticket.ticket.draw],
            receipt: station.answering.receipt(payout, isReplayed: true))
        let card = try await translating(
            // A payout writes nothing to the card, so phones see the same as before.
            awaiting: await station.summaries.card(payout.uid, .current)
        ) { (error: Interruption) in error.error }
        return receipt(prize, on: card)
    }

    private func receipt(_ prize: PrizeReceipt.Prize, on card: CardSummary) -> PrizeReceipt {
        PrizeReceipt(
            uid: card.uid, prizes: [prize],
            balance: card.balance ?? Money(minorUnits: 0, currency), display: card.display,
            problem: nil, resolved: card.resolved)
    }

    /// Books the payout. The cashier pays out cash on the strength of this result, so it is
    /// returned only to a caller that is certain to have booked the payout itself.
    private func payOut(
        _ prize: Money, on uid: CardUID, id: OperationID?
    ) async throws(TapcardError) -> Operation {
        // If the caller gives no ID, a retry gets a new ID and is refused, because the prize has
        // already been booked.
        let id = id ?? station.newID()
        let payout = try await translating(
            awaiting: await ledger.payOut(prize, of: name, on: uid, id: id, by: requester, at: now)
        ) { TapcardError.payoutFailed($0, for: name, id, uid: uid) }
        switch payout {
        case .booked(let operation): return operation
        case .earlier(let operation): throw alreadyPaid(operation)
        case .refused(let refusal):
            throw TapcardError(refusal, uid: uid).reworded(
                meaning: "Nothing was recorded this time, so do not pay out any cash.")
        }
    }

    /// The refusal to pay out a prize that has already been booked.
    private func alreadyBooked(
        _ claim: CardTicket.Claim, _ uid: CardUID
    ) async throws(TapcardError) -> TapcardError {
        guard claim.isPaidOut else {
            return TapcardError.alreadyOnCard(claim, of: name, uid: uid)
        }
        let operation = try await queryingLedger(await ledger.operation(claim.operation))
        guard let operation else {
            return TapcardError(
                LedgerError(
                    .corrupt,
                    "operation \(claim.operation) should be in the ledger but is missing"))
        }
        return alreadyPaid(operation)
    }

    /// The refusal to pay out a prize twice. It describes the earlier payout, so that the cashier
    /// can tell whether it is the one whose receipt was lost.
    private func alreadyPaid(_ payout: Operation) -> TapcardError {
        let prize = Money(minorUnits: payout.amount, currency).shown
        return TapcardError(
            .refusal(.alreadyClaimed),
            "The prize of \(prize) for ticket \(name) was already recorded as paid "
                + "out\(payout.whenAndByWhom).",
            meaning:
                "Nothing was recorded this time, so do not pay out any cash unless you recorded "
                + "that earlier payout and the cash is still in the drawer.",
            next: [.card(.showOperation(payout.id)), .request(.specifyID)], uid: payout.uid,
            operation: payout.id)
    }
}

extension TapcardError {
    /// The refusal for a prize that is already part of the card's balance.
    fileprivate static func alreadyOnCard(
        _ claim: CardTicket.Claim, of ticket: TicketID, uid: CardUID
    ) -> TapcardError {
        TapcardError(
            .refusal(.alreadyClaimed),
            "The prize of \(claim.prize.shown) for ticket \(ticket) was already added to the card "
                + "by operation \(claim.operation).",
            meaning: "Nothing was recorded this time, so do not pay out any cash.", uid: uid)
    }

    /// The error if the ledger failed while the payout was being booked.
    fileprivate static func payoutFailed(
        _ error: LedgerError, for ticket: TicketID, _ id: OperationID, uid: CardUID
    ) -> TapcardError {
        let failure = TapcardError(error)
        guard error.kind == .outcomeUnknown else {
            return TapcardError(
                failure.kind, failure.what,
                meaning: "Nothing was recorded this time, so do not pay out any cash.",
                next: failure.next, uid: uid)
        }
        return TapcardError(
            .outcomeUnknown,
            "\(failure.what) The prize for ticket \(ticket) may or may not have been recorded.",
            // A retry with the same ID shows whether the payout was booked.
            meaning: "Do not pay out any cash yet.", next: [.request(.repeatPayout(id))], uid: uid,
            operation: id)
    }
}
