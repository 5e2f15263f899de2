public import Ledger
public import TapcardDomain

/// One line of a card's history.
public struct HistoryLine: Sendable, Hashable {
    /// The operation.
    public let operation: Operation
    /// The cardholder's current name.
    public let holder: HolderName?
    /// The amount added to the card, negative for a payment; nil if the balance did not change.
    public let amount: Money?
    /// The balance after the operation; nil if the operation did not happen.
    public let balance: Money?
    /// The prize that was paid out in cash from the drawer.
    public let paidOut: Money?
    /// The balance of the account that was closed when the card was reissued.
    public let closed: Money?
    /// The part of an offline payment that the card's balance could not cover.
    public let shortfall: Money?

    /// The ticket that was bought, or whose prize was booked.
    public var ticket: TicketID? { operation.ticketID }

    /// The game that was stored on the card; nil for any other operation and for the removal of a
    /// game.
    public var game: MastermindGameID? {
        if case .game(let id) = operation.subject { id } else { nil }
    }

    /// The card that was tapped for an offline payment, if this card has since replaced it.
    public var tapped: CardUID? {
        if case .tapped(let uid) = operation.subject { uid } else { nil }
    }

    /// The existing activation attempt to which this request was linked.
    public var attempt: OperationID? {
        if case .attempt(let id) = operation.subject { id } else { nil }
    }
}

/// A history that is read row by row, so that rows do not stay in memory once the caller has used
/// them.
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

    /// The next operation, oldest first; nil after the last.
    public mutating func nextLine() throws(LedgerError) -> HistoryLine? {
        guard let operation = try operations.next() else { return nil }
        return try rows.line(of: operation, currency)
    }

    /// The next activation attempt, oldest first; nil after the last.
    public mutating func nextAttempt() throws(LedgerError) -> ActivationAttempt? {
        try attempts.next()
    }
}

extension History {
    /// The last `count` operations on one card, or on all cards, oldest first.
    public static func lines(
        of card: CardUID?, last count: Int, in ledger: any LedgerStore
    ) async throws(TapcardError) -> [HistoryLine] {
        let lines = try await querying(at: ledger) { rows, currency throws(LedgerError) in
            var lines: [HistoryLine] = []
            for operation in try rows.operations(on: card, last: count) {
                lines.append(try rows.line(of: operation, currency))
            }
            return lines
        }
        // Making a card is an operation, so only an unknown card has no lines.
        if lines.isEmpty, let card { throw unknown(card) }
        return lines
    }

    /// What the ledger has recorded under an ID.
    package enum Record: Sendable {
        /// An operation on a card, with the amounts that it booked in addition to its own.
        case operation(HistoryLine, AdditionalBookings)
        /// A change without a card.
        case cardless(CardlessOperation)
    }

    /// What the ledger has recorded under an ID; nil if it does not know the ID.
    package static func record(
        _ id: OperationID, in ledger: any LedgerStore
    ) async throws(TapcardError) -> Record? {
        guard let operation = try await queryingLedger(await ledger.answer(to: id)) else {
            return try await queryingLedger(await ledger.cardless(id)).map(Record.cardless)
        }
        return try await querying(at: ledger) { rows, currency throws(LedgerError) in
            .operation(
                try rows.line(of: operation, currency), try rows.booked(besides: operation))
        }
    }

    /// Passes the whole history of one card, or of all cards, to `show`, which reads it row by row
    /// from one consistent state of the ledger. Other work on the ledger continues in the meantime.
    public static func whole<Shown: Sendable>(
        of card: CardUID?, in ledger: any LedgerStore,
        _ show: @escaping @Sendable (inout History) throws(LedgerError) -> Shown
    ) async throws(TapcardError) -> Shown {
        let currency = ledger.currency
        let shown: Shown? = try await queryingLedger(
            // Other work on the ledger must not wait until the whole history has been read.
            await ledger.readWithoutBlocking { rows throws(LedgerError) in
                // Making a card is an operation, so a card without any operations is unknown here.
                if card != nil, try rows.operations(on: card, last: 1).isEmpty { return nil }
                var history = try History(of: card, rows, currency)
                return try show(&history)
            })
        guard let shown else { throw unknown(card) }
        return shown
    }

    /// The activation attempts that belong to these lines of a card's history, oldest first: those
    /// made with the card, and those for its current code. If no card is given, the attempts on all
    /// cards.
    public static func activations(
        of card: CardUID?, beside lines: [HistoryLine], in ledger: any LedgerStore
    ) async throws(TapcardError) -> [ActivationAttempt] {
        guard let first = lines.first?.operation.beganAt else { return [] }
        let activated = lines.filter { $0.operation.kind == .activate }.map(\.operation.id)
        return try await querying(at: ledger) { rows, _ throws(LedgerError) in
            var earlier: [ActivationAttempt] = []
            // An attempt made before the first line may have led to one of the activations in these
            // lines.
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

    /// Passes each operation begun in a period to `add`, oldest first, with the amounts that the
    /// operation booked in addition to its own, and then each change without a card to
    /// `withoutCard`. Returns the resulting sum.
    public static func operations<Sum: Sendable>(
        begunSince start: Timestamp, until end: Timestamp, in ledger: any LedgerStore,
        into sum: Sum,
        _ add: @escaping @Sendable (inout Sum, Operation, AdditionalBookings) -> Void,
        withoutCard: @escaping @Sendable (inout Sum, CardlessOperation) -> Void
    ) async throws(TapcardError) -> Sum {
        try await queryingLedger(
            await ledger.readWithoutBlocking { rows throws(LedgerError) in
                var sum = sum
                var pages = rows.pagesOfOperations(begunSince: start, until: end)
                while let operation = try pages.next() {
                    add(&sum, operation, try rows.booked(besides: operation))
                }
                var others = rows.pagesOfCardless(since: start, until: end)
                while let operation = try others.next() { withoutCard(&sum, operation) }
                return sum
            })
    }
}

extension History {
    /// Passes the bookings of a period to `add`, oldest first, until `add` returns false: those of
    /// operations on cards and those of changes without a card. Returns the resulting sum, and what
    /// `find` found in the same state of the ledger.
    package static func bookings<Sum: Sendable, Found: Sendable>(
        begunSince start: Timestamp, until end: Timestamp, in ledger: any LedgerStore,
        into sum: Sum, _ add: @escaping @Sendable (inout Sum, Booking) -> Bool,
        then find: @escaping @Sendable (any LedgerRows) throws(LedgerError) -> Found
    ) async throws(TapcardError) -> (sum: Sum, found: Found) {
        try await queryingLedger(
            await ledger.readWithoutBlocking { rows throws(LedgerError) in
                var sum = sum
                var pages = rows.pagesOfBookings(begunSince: start, until: end)
                var others = rows.pagesOfCardless(since: start, until: end)
                var (next, other) = (try pages.next(), try others.next())
                while next != nil || other != nil {
                    // Both are in the order of their times.
                    let start = next?.beganAt.milliseconds ?? .max
                    if let change = other, next == nil || change.at.milliseconds < start {
                        guard add(&sum, Booking(change)) else { break }
                        other = try others.next()
                    } else if let booking = next {
                        guard add(&sum, booking) else { break }
                        next = try pages.next()
                    }
                }
                return (sum, try find(rows))
            })
    }
}

extension History {
    private static func querying<Success: Sendable>(
        at ledger: any LedgerStore,
        _ body: @escaping @Sendable (any LedgerRows, Currency) throws(LedgerError) -> Success
    ) async throws(TapcardError) -> Success {
        let currency = ledger.currency
        return try await queryingLedger(
            await ledger.read { rows throws(LedgerError) in try body(rows, currency) })
    }

    private static func unknown(_ card: CardUID?) -> TapcardError {
        let what =
            card.map { "card \($0) is not in this ledger" } ?? "this card is not in this ledger"
        return TapcardError(Refusal(.cardUnknown, what), uid: card)
    }
}

extension LedgerRows {
    /// The current code on a card.
    fileprivate func code(on card: CardUID?) throws(LedgerError) -> ScratchCode? {
        try card.flatMap { uid throws(LedgerError) in try self.card(uid)?.scratch.code }
    }

    fileprivate func line(
        of operation: Operation, _ currency: Currency
    ) throws(LedgerError) -> HistoryLine {
        let change = operation.change(in: currency)
        let besides = try booked(besides: operation)
        func money(_ amount: Int64) -> Money? {
            amount == 0 ? nil : Money(minorUnits: amount, currency)
        }
        return HistoryLine(
            operation: operation, holder: try card(operation.uid)?.holder.name,
            amount: change.minorUnits == 0 ? nil : change,
            balance: operation.balanceAfter.map { Money(minorUnits: $0, currency) },
            paidOut: operation.kind == .payout
                ? Money(minorUnits: operation.amount, currency) : nil,
            closed: money(besides.closed), shortfall: money(besides.shortfall))
    }
}
