public import TapcardDomain

/// The ledger's response to a request to pay a prize in cash.
public enum PrizePayout: Hashable, Sendable {
    /// The payout has just been booked, so the cash has to be paid out now.
    case booked(Operation)
    /// The payout was already booked, so no cash is paid out now.
    case earlier(Operation)
    /// The payout breaks a rule.
    case refused(Refusal)
}

extension LedgerStore {
    /// Books a prize that is paid in cash, because the customer is owed even a prize that is too
    /// large for a card. As with every claim, this can be done only once, and only with an active
    /// card whose account bought the ticket. The card does not change, so nothing is written to its
    /// tag.
    public func payOut(
        _ prize: Money, of ticket: TicketID, on uid: CardUID, id: OperationID,
        by requester: Requester = Requester(), at now: Timestamp
    ) async throws(LedgerError) -> PrizePayout {
        let currency = currency
        return try await write { rows throws(LedgerError) in
            let book = Book(booking: rows, currency, at: now)
            return try book.payOut(prize, of: ticket, on: uid, id: id, by: requester)
        }
    }
}

extension Book {
    fileprivate func payOut(
        _ prize: Money, of ticket: TicketID, on uid: CardUID, id: OperationID,
        by requester: Requester
    ) throws(LedgerError) -> PrizePayout {
        let earlier = try rows.claim(of: ticket)
        // Only one caller gets `booked`, so the cash is paid out only once.
        if let earlier, earlier.kind == .payout, earlier.uid == uid { return .earlier(earlier) }
        guard let known = try knownCard(of: uid) else {
            return .refused(Refusal(.cardUnknown, "card \(uid) is not in this ledger"))
        }
        do throws(Refusal) {
            try requirePayable(prize)
            try known.card.requireActive()
        } catch {
            return .refused(error)
        }
        // `requireClaimable` refuses any other earlier claim.
        let context = try context(of: ticket, on: known.card)
        do {
            try context.requireClaimable(ticket, on: known)
        } catch {
            return .refused(error)
        }
        // A repeated payout was answered above, so a used ID belongs to something else.
        guard try !rows.isUsed(id) else {
            return .refused(
                Refusal(.badIdentifier, "operation ID \(id) is already used by another operation"))
        }
        let operation = Operation(
            id: id, uid: uid, kind: .payout, amount: prize.minorUnits, subject: .prize(ticket),
            by: requester, beganAt: now, state: .committed, endedAt: now,
            balanceAfter: known.balance.minorUnits)
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
                "the prize of \(prize.shown) is in \(prize.currency.code), but the ledger's "
                    + "currency is \(currency.code)")
        }
        guard prize.minorUnits > 0 else {
            throw Refusal(
                .badAmount, "a prize of \(prize.shown) is not valid; it must be more than 0")
        }
        guard prize.minorUnits <= Currency.largestPayout else {
            throw Refusal(
                .limitExceeded,
                "the prize of \(prize.shown) is more than the ledger can record "
                    + "(at most \(Money(minorUnits: Currency.largestPayout, currency).shown))"
            )
        }
    }
}
