public import TapcardDomain

/// How the ledger answered whoever pays a prize out of the drawer.
public enum PrizePayout: Hashable, Sendable {
    /// It is booked, and it is now that the prize is paid.
    case booked(Operation)
    /// It was booked like that before: it is paid.
    case earlier(Operation)
    case refused(Refusal)
}

extension LedgerStore {
    /// Books a prize that is paid out of the drawer, past the card: what no card can hold is a prize
    /// all the same. Like every claim it happens once, and on a card in use that bought the ticket.
    /// Nothing of the card changes, so nothing goes onto its tag.
    public func payOut(
        _ prize: Money, of ticket: TicketID, on uid: CardUID, id: OperationID,
        by cashier: CashierName? = nil, at now: Timestamp
    ) async throws(LedgerError) -> PrizePayout {
        let currency = currency
        return try await write { rows throws(LedgerError) in
            let book = Book(booking: rows, currency, at: now)
            return try book.payOut(prize, of: ticket, on: uid, id: id, by: cashier)
        }
    }
}

extension Book {
    fileprivate func payOut(
        _ prize: Money, of ticket: TicketID, on uid: CardUID, id: OperationID,
        by cashier: CashierName?
    ) throws(LedgerError) -> PrizePayout {
        let earlier = try rows.claim(of: ticket)
        if let earlier, earlier.kind == .payout, earlier.uid == uid { return .earlier(earlier) }
        guard let view = try view(of: uid) else {
            return .refused(Refusal(.cardUnknown, "this ledger knows no card \(uid)"))
        }
        do throws(Refusal) {
            try requirePayable(prize)
            try view.card.requireActive()
        } catch {
            return .refused(error)
        }
        let circumstances = try circumstances(of: ticket, on: view.card)
        do {
            try circumstances.requireClaimable(ticket, on: view)
        } catch {
            return .refused(error)
        }
        guard try !rows.isUsed(id) else {
            return .refused(Refusal(.badIdentifier, "operation \(id) was another one before"))
        }
        let operation = Operation(
            id: id, uid: uid, kind: .payout, amount: prize.minorUnits, subject: ticket.text,
            cashier: cashier, begunAt: now, state: .committed, endedAt: now,
            balanceAfter: view.balance.minorUnits)
        try rows.insert(operation)
        for posting in Posting.move(prize.minorUnits, from: .prizes, to: .cash) {
            try post(posting, for: operation)
        }
        return .booked(operation)
    }

    private func requirePayable(_ prize: Money) throws(Refusal) {
        guard prize.currency == currency else {
            throw Refusal(
                .badAmount,
                "\(prize.shown) is in \(prize.currency.code); this ledger is kept in "
                    + currency.code)
        }
        guard prize.minorUnits > 0 else {
            throw Refusal(.badAmount, "\(prize.shown) cannot be paid out; a prize is above 0")
        }
        guard prize.minorUnits <= Currency.largestPayout else {
            throw Refusal(
                .limitExceeded,
                "\(prize.shown) is more than the "
                    + "\(Money(minorUnits: Currency.largestPayout, currency).shown) that a ledger notes"
            )
        }
    }
}
