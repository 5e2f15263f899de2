public import Ledger
public import TapcardDomain

/// One line of a card's history.
public struct HistoryLine: Sendable, Hashable {
    public let operation: Operation
    /// What was added to the card; nil where no money moved.
    public let amount: Money?
    public let balance: Money?
    /// The prize that was paid out of the drawer, past the card.
    public let paidOut: Money?
    /// What was on the card when it was issued anew, and is on no card any more.
    public let closed: Money?

    /// The ticket that was bought, or whose prize was booked.
    public var ticket: TicketID? { operation.ticketID }

    /// The game that was kept; nil also where it was taken off the card.
    public var game: String? { operation.kind == .game ? operation.subject : nil }

    /// The attempt whose outcome was waited for, and is the answer.
    public var attempt: String? { operation.kind == .ask ? operation.subject : nil }
}

extension Station {
    /// What was done, oldest first: to one card, or to all of them; where a number is named, only
    /// the newest so many. Needs no card.
    public static func history(
        of card: CardUID?, last count: Int? = nil, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [HistoryLine] {
        let operations: [Operation]
        let closed: [OperationID: Int64]
        do {
            (operations, closed) = try await ledger.read { rows throws(LedgerError) in
                let operations =
                    if let count {
                        try rows.operations(on: card, last: count)
                    } else {
                        try rows.operations(on: card)
                    }
                return (operations, try rows.closings(by: operations))
            }
        } catch {
            throw TapcardError(error)
        }
        if operations.isEmpty, let card {
            throw TapcardError(
                Refusal(.cardUnknown, "this ledger knows no card \(card)"), uid: card)
        }
        return operations.map { operation in
            let change = operation.change(in: ledger.currency)
            return HistoryLine(
                operation: operation, amount: change.minorUnits == 0 ? nil : change,
                balance: operation.balanceAfter.map { Money(minorUnits: $0, ledger.currency) },
                paidOut: operation.kind == .payout
                    ? Money(minorUnits: operation.amount, ledger.currency) : nil,
                closed: closed[operation.id].map { Money(minorUnits: $0, ledger.currency) })
        }
    }

    /// What the service that activates codes was asked for a card, in this life or an earlier one,
    /// and for the code that it has now; for all cards where none is named. Oldest first.
    public static func activations(
        of card: CardUID?, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [ActivationAttempt] {
        do {
            return try await ledger.read { rows throws(LedgerError) in
                let attempts = try rows.activations()
                guard let card else { return attempts }
                let code = try rows.card(card)?.scratch.code
                return attempts.filter { $0.card == card || $0.code == code }
            }
        } catch {
            throw TapcardError(error)
        }
    }

    /// What was begun at or after the one time and before the other, oldest first.
    public static func operations(
        begunSince start: Timestamp, until end: Timestamp, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [Operation] {
        do {
            return try await ledger.read { rows throws(LedgerError) in
                try rows.operations(begunSince: start, until: end)
            }
        } catch {
            throw TapcardError(error)
        }
    }

    /// Checks every invariant over the whole ledger.
    public static func audit(
        _ ledger: any LedgerStore
    ) async throws(TapcardError) -> AuditReport {
        do {
            return try await ledger.audit()
        } catch {
            throw TapcardError(error)
        }
    }
}

extension LedgerRows {
    /// What cards held when they were issued anew, by the operation that did it.
    fileprivate func closings(
        by operations: [Operation]
    ) throws(LedgerError) -> [OperationID: Int64] {
        var closings: [OperationID: Int64] = [:]
        for operation in operations where operation.kind == .issue {
            let left = try entries(of: operation.id).first { $0.account == .reissued }
            if let left, left.amount != 0 { closings[operation.id] = left.amount }
        }
        return closings
    }
}
