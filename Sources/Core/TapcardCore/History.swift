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

/// Everything that was done, as it is read: what is not held on to is not in memory.
public struct History {
    private let rows: any LedgerRows
    private let currency: Currency
    private var operations: Pages<Operation>
    private var attempts: Pages<ActivationAttempt>

    fileprivate init(
        of card: CardUID?, _ rows: any LedgerRows, _ currency: Currency
    ) throws(LedgerError) {
        (self.rows, self.currency) = (rows, currency)
        operations = rows.pagesOfOperations(on: card)
        attempts = try rows.pagesOfActivations(on: card, or: rows.code(on: card))
    }

    /// The next operation, the oldest first; nil behind the last.
    public mutating func nextLine() throws(LedgerError) -> HistoryLine? {
        guard let operation = try operations.next() else { return nil }
        return try rows.line(of: operation, currency)
    }

    /// What the service that activates codes was asked next, the oldest first; nil behind the last.
    public mutating func nextAttempt() throws(LedgerError) -> ActivationAttempt? {
        try attempts.next()
    }
}

extension Station {
    /// The newest so many things that were done, oldest first: to one card, or to all of them.
    /// Needs no card.
    public static func history(
        of card: CardUID?, last count: Int, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [HistoryLine] {
        let lines = try await looking(at: ledger) { rows, currency throws(LedgerError) in
            var lines: [HistoryLine] = []
            for operation in try rows.operations(on: card, last: count) {
                lines.append(try rows.line(of: operation, currency))
            }
            return lines
        }
        if lines.isEmpty, let card { throw unknown(card) }
        return lines
    }

    /// Hands over all that was done to one card, or to all of them, in one consistent state: as it
    /// is read, however long it is. Other work on the ledger goes on in the meantime.
    public static func history<Shown: Sendable>(
        of card: CardUID?, in ledger: any LedgerStore,
        _ show: @escaping @Sendable (inout History) throws(LedgerError) -> Shown
    ) async throws(TapcardError) -> Shown {
        let currency = ledger.currency
        let shown: Shown?
        do {
            shown = try await ledger.readAtLength { rows throws(LedgerError) in
                if card != nil, try rows.operations(on: card, last: 1).isEmpty { return nil }
                var history = try History(of: card, rows, currency)
                return try show(&history)
            }
        } catch {
            throw TapcardError(error)
        }
        guard let shown else { throw unknown(card) }
        return shown
    }

    /// What the service that activates codes was asked for a card, in this life or an earlier one,
    /// and for the code that it has now, as far as it belongs to these lines of its history; for
    /// all cards where none is named. Oldest first.
    public static func activations(
        of card: CardUID?, beside lines: [HistoryLine], in ledger: any LedgerStore
    ) async throws(TapcardError) -> [ActivationAttempt] {
        guard let first = lines.first?.operation.begunAt else { return [] }
        let activated = lines.filter { $0.operation.kind == .activate }.map(\.operation.id)
        return try await looking(at: ledger) { rows, _ throws(LedgerError) in
            var earlier: [ActivationAttempt] = []
            for id in activated {
                guard let attempt = try rows.activation(id),
                    attempt.requestedAt.milliseconds < first.milliseconds
                else { continue }
                earlier.append(attempt)
            }
            earlier.sort { $0.requestedAt.milliseconds < $1.requestedAt.milliseconds }
            return try earlier
                + rows.activations(on: card, or: rows.code(on: card), since: first)
        }
    }

    /// Folds what was begun at or after the one time and before the other, oldest first, each with
    /// what it closed with the account that its tag had before.
    public static func operations<Sum: Sendable>(
        begunSince start: Timestamp, until end: Timestamp, in ledger: any LedgerStore,
        into sum: Sum, _ add: @escaping @Sendable (inout Sum, Operation, Int64) -> Void
    ) async throws(TapcardError) -> Sum {
        do {
            return try await ledger.readAtLength { rows throws(LedgerError) in
                var sum = sum
                var pages = rows.pagesOfOperations(begunSince: start, until: end)
                while let operation = try pages.next() {
                    add(&sum, operation, try rows.balanceClosed(by: operation))
                }
                return sum
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

extension Station {
    private static func looking<Success: Sendable>(
        at ledger: any LedgerStore,
        _ body: @escaping @Sendable (any LedgerRows, Currency) throws(LedgerError) -> Success
    ) async throws(TapcardError) -> Success {
        let currency = ledger.currency
        do {
            return try await ledger.read { rows throws(LedgerError) in try body(rows, currency) }
        } catch {
            throw TapcardError(error)
        }
    }

    private static func unknown(_ card: CardUID?) -> TapcardError {
        let name = card?.description ?? ""
        return TapcardError(
            Refusal(.cardUnknown, "this ledger knows no card \(name)"), uid: card)
    }
}

extension LedgerRows {
    /// The code that is on a card now.
    fileprivate func code(on card: CardUID?) throws(LedgerError) -> ScratchCode? {
        try card.flatMap { uid throws(LedgerError) in try self.card(uid)?.scratch.code }
    }

    fileprivate func line(
        of operation: Operation, _ currency: Currency
    ) throws(LedgerError) -> HistoryLine {
        let change = operation.change(in: currency)
        let closed = try balanceClosed(by: operation)
        return HistoryLine(
            operation: operation, amount: change.minorUnits == 0 ? nil : change,
            balance: operation.balanceAfter.map { Money(minorUnits: $0, currency) },
            paidOut: operation.kind == .payout
                ? Money(minorUnits: operation.amount, currency) : nil,
            closed: closed == 0 ? nil : Money(minorUnits: closed, currency))
    }
}
