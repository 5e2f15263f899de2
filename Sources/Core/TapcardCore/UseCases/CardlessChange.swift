package import Ledger
package import TapcardDomain

/// One request for a change without a card: a sale, the undo of a sale, or cash put into the drawer
/// or taken out of it.
package struct CardlessChange {
    /// The booked change, and whether an earlier request had already booked it.
    package typealias Booked = (operation: CardlessOperation, isReplayed: Bool)

    private let ledger: any LedgerStore
    private let id: OperationID?
    private let requester: Requester
    private let now: Timestamp
    private let limits: Limits

    /// Creates a request. Without an ID from the client, a retry is booked as a new request, except
    /// for an undo.
    package init(
        in ledger: any LedgerStore, id: OperationID?, settings: Station.Settings,
        dependencies: Station.Dependencies
    ) {
        (self.ledger, self.id, requester) = (ledger, id, dependencies.requester)
        now = ledger.time(at: dependencies.now())
        limits = Limits(settings: settings, currency: ledger.currency)
    }

    private var currency: Currency { ledger.currency }

    /// Sells these lines without a card. A cash payment is rounded to what can be paid in the
    /// currency. If the returned deposits are worth more than what is sold, the difference is paid
    /// back, which is possible only in cash.
    ///
    /// `given` is the cash that the customer hands over; nil if it was not entered. It must cover
    /// the amount due, and is refused for other tenders. `newID` makes an ID if the request has
    /// none.
    package func sell(
        _ lines: [SaleLine], for tender: Tender, given: Money?,
        newID: @autoclosure () -> OperationID
    ) async throws(TapcardError) -> Booked {
        let amount = Money(minorUnits: lines.total, currency)
        let rounding = tender == .cash ? currency.cashRounding(of: lines.total) : 0
        let due = Money(minorUnits: lines.total + rounding, currency)
        guard amount.minorUnits > 0 || tender == .cash && amount.minorUnits < 0 else {
            throw TapcardError(
                Refusal(
                    .badAmount,
                    "the sale comes to \(amount.shown), which cannot be paid by \(tender.rawValue)")
            )
        }
        if let given {
            guard tender == .cash, due.minorUnits > 0, given.minorUnits >= due.minorUnits else {
                throw TapcardError(
                    Refusal(
                        .badAmount,
                        "the customer gave \(given.shown), but has to pay \(due.shown)"))
            }
        }
        // A repeated request must not be refused because a limit was lowered in the meantime.
        var isKnown = false
        if let id { isKnown = try await queryingLedger(await ledger.cardless(id)) != nil }
        if !isKnown { try requireWithinCeilings(amount, lines) }
        return try await book(
            CardlessOperation(
                id: id ?? newID(), kind: .sale, amount: amount.minorUnits, tender: tender,
                rounding: rounding, given: given?.minorUnits, lines: lines, by: requester,
                at: now))
    }

    private func requireWithinCeilings(
        _ amount: Money, _ lines: [SaleLine]
    ) throws(TapcardError) {
        try limits.requireWithinCeilings(
            amount.minorUnits > 0 ? .pay(amount, Sale(lines)) : .credit(amount.negated, lines))
    }

    /// Undoes a sale without a card in full.
    package func undo(_ sale: OperationID) async throws(TapcardError) -> Booked {
        // A retry without an ID of its own counts as the same request.
        let id = id ?? sale.derived(for: "undo")
        let outcome = try await translating(
            awaiting: await ledger.undo(sale, id: id, by: requester, at: now)
        ) { (error: LedgerError) in explained(error, id) }
        return try booked(outcome, id)
    }

    /// Records cash that is put into the drawer, or taken out of it if `isTaken` is true. The
    /// amount must be more than 0 in both cases. `newID` makes an ID if the request has none.
    package func moveCash(
        _ amount: Money, isTaken: Bool, because reason: SaleText,
        newID: @autoclosure () -> OperationID
    ) async throws(TapcardError) -> Booked {
        try limits.requirePositive(amount)
        return try await book(
            CardlessOperation(
                id: id ?? newID(), kind: isTaken ? .cashOut : .cashIn,
                amount: isTaken ? -amount.minorUnits : amount.minorUnits, reason: reason,
                by: requester, at: now))
    }

    private func book(_ operation: CardlessOperation) async throws(TapcardError) -> Booked {
        let outcome = try await translating(awaiting: await ledger.book(operation)) {
            (error: LedgerError) in explained(error, operation.id)
        }
        return try booked(outcome, operation.id)
    }

    /// The change from the ledger's response. Throws if it was refused or its ID belongs to another
    /// request.
    private func booked(
        _ outcome: CardlessOutcome, _ id: OperationID
    ) throws(TapcardError) -> Booked {
        switch outcome {
        case .booked(let operation): return (operation, false)
        case .earlier(let operation): return (operation, true)
        case .refused(let refusal): throw TapcardError(refusal)
        case .mismatched:
            throw TapcardError(
                .operationMismatch, "Operation ID \(id) already belongs to another request.",
                meaning: "Nothing was booked.", operation: id)
        }
    }

    /// Adds to a ledger error whether the change may have been booked, and what to do next.
    private func explained(_ error: LedgerError, _ id: OperationID) -> TapcardError {
        let known = TapcardError(error)
        guard error.kind == .outcomeUnknown else {
            return error.kind == .offline
                ? TapcardError(
                    known.kind, known.what,
                    meaning: "Nothing was booked. Sales without a card need the ledger.") : known
        }
        return TapcardError(
            .outcomeUnknown, known.what, meaning: "The ledger may have booked this request.",
            next: [.request(.repeatWithID(id))], operation: id)
    }
}
