package import Ledger
package import TapcardDomain

/// The report of a closed shift. All sums are in minor units.
package struct ShiftReport: Sendable {
    /// A way to pay: a tender, or nil for a card's balance.
    package typealias Way = Tender?

    /// The closed shift, with its counts.
    package let shift: Shift
    /// Sales by way to pay, minus credits for returned deposits. Refunds are not subtracted.
    package private(set) var sales: [Way: Int64] = [:]
    /// The same sales by cashier; nil stands for an unknown cashier.
    package private(set) var salesOfCashiers: [CashierName?: Int64] = [:]
    /// Top-ups by tender, including the first balances of new cards. Reversals are not subtracted.
    package private(set) var topUps: [Way: Int64] = [:]
    /// Refunded payments, reversed top-ups, and undone sales, by the way in which the money was
    /// returned.
    package private(set) var refunds: [Way: Int64] = [:]
    /// Cash paid out for closed cards, for prizes, and for accounts that a reissue closed.
    package private(set) var paidOut: Int64 = 0
    /// The amount gained by rounding cash; negative if it was lost.
    package private(set) var rounding: Int64 = 0
    /// The changes that put cash into the drawer or took it out, oldest first.
    package private(set) var moves: [CardlessOperation] = []
    /// The late entries: operations that began in the shift and were booked after it ended.
    package private(set) var late: [Operation] = []

    /// All ways to pay, in the order in which the report shows them.
    package static let ways: [Way] = [nil, .cash, .terminal, .other]

    /// Creates the report of a shift. Returns nil while the shift is open, because its cash is not
    /// shown before it has been counted.
    package init?(of shift: Shift, _ rows: any LedgerRows) throws(LedgerError) {
        guard shift.closing != nil else { return nil }
        self.shift = shift
        var seen: Set<OperationID> = []
        for entry in try rows.entries(inShift: shift.id) {
            guard seen.insert(entry.operation).inserted,
                let operation = try rows.operation(entry.operation)
            else { continue }
            count(operation, try rows.booked(besides: operation))
        }
        for operation in try rows.cardless(inShift: shift.id) { count(operation) }
        late = try rows.lateOperations(of: shift)
    }

    /// Adds an operation on a card, with the amounts that it booked in addition to its own.
    private mutating func count(_ operation: Operation, _ besides: AdditionalBookings) {
        paidOut &+= besides.closed
        switch operation.kind {
        case .pay, .ticket, .offline:
            sell(operation.amount, nil, operation.cashier)
            if let rest = operation.rest { sell(rest.amount, rest.tender, operation.cashier) }
        case .credit: sell(0 &- operation.amount, nil, operation.cashier)
        case .refund:
            refunds[nil, default: 0] &+= operation.amount
            if besides.rest != 0 { refunds[besides.tender, default: 0] &+= besides.rest }
        case .add, .issue: topUps[operation.tender, default: 0] &+= operation.amount
        case .reverse: refunds[besides.tender, default: 0] &+= operation.amount
        case .close, .payout: paidOut &+= operation.amount
        case .adopt, .replace, .claim, .scratch, .activate, .ask, .game, .reseal, .protect,
            .unprotect, .block, .unblock, .forget:
            break
        }
    }

    /// Adds a change without a card.
    private mutating func count(_ operation: CardlessOperation) {
        rounding &+= operation.rounding
        switch operation.kind {
        case .sale: sell(operation.amount, operation.tender, operation.cashier)
        case .undo: refunds[operation.tender, default: 0] &-= operation.amount
        case .cashIn, .cashOut: moves.append(operation)
        }
    }

    /// Adds a sale. The amount is negative for a credit.
    private mutating func sell(_ amount: Int64, _ way: Way, _ cashier: CashierName?) {
        sales[way, default: 0] &+= amount
        salesOfCashiers[cashier, default: 0] &+= amount
    }
}

/// The use cases for shifts of the drawer.
package enum Shifts {
    /// A shift and its report, which is nil while the shift is open.
    package typealias Found = (shift: Shift, report: ShiftReport?)

    /// The shift that is open at this station; nil if there is none.
    package static func open(in ledger: any LedgerStore) async throws(TapcardError) -> Shift? {
        try await queryingLedger(
            await ledger.read { rows throws(LedgerError) in try rows.openShift() })
    }

    /// The shift of any station that has this ID, with its report if it is closed.
    ///
    /// - Throws: A refusal (``Refusal/Rule/shiftNeeded``) if there is no such shift.
    package static func find(
        _ id: ShiftID, in ledger: any LedgerStore
    ) async throws(TapcardError) -> Found {
        let found: Found? = try await queryingLedger(
            await ledger.readWithoutBlocking { rows throws(LedgerError) in
                guard let shift = try rows.shift(id) else { return nil }
                return (shift, try ShiftReport(of: shift, rows))
            })
        guard let found else {
            throw TapcardError(Refusal(.shiftNeeded, "there is no shift \(id) in this ledger"))
        }
        return found
    }

    /// The shifts of all stations, oldest first.
    package static func all(in ledger: any LedgerStore) async throws(TapcardError) -> [Shift] {
        try await queryingLedger(
            await ledger.read { rows throws(LedgerError) in try rows.shifts() })
    }

    /// Opens a shift at this station with this cash in the drawer. `isReplayed` is true if an
    /// earlier request with the ID has already opened it.
    package static func open(
        _ id: ShiftID, float: Money, in ledger: any LedgerStore,
        _ dependencies: Station.Dependencies
    ) async throws(TapcardError) -> (shift: Shift, isReplayed: Bool) {
        let shift = Shift(
            id: id, openedAt: ledger.time(at: dependencies.now()),
            openedBy: dependencies.requester.cashier,
            float: float.minorUnits)
        return try done(try await queryingLedger(await ledger.open(shift)), id)
    }

    /// Saves a count of the drawer's cash, and closes the shift if it is open. If `id` is nil,
    /// counts the shift that is open at this station. `isReplayed` is true if the amount is the
    /// same as that of the last count, so that nothing was saved.
    package static func count(
        _ id: ShiftID?, _ cash: Money, in ledger: any LedgerStore,
        _ dependencies: Station.Dependencies
    ) async throws(TapcardError) -> (shift: Shift, isReplayed: Bool) {
        try done(
            try await queryingLedger(
                await ledger.count(
                    id, cash.minorUnits, by: dependencies.requester.cashier,
                    at: ledger.time(at: dependencies.now()))), id)
    }

    /// Throws unless a shift is open at this station. A retry of a recorded operation needs no
    /// shift. `id` is the ID from the request, if the client gave one.
    package static func requireOpen(
        for id: OperationID?, in ledger: any LedgerStore
    ) async throws(TapcardError) {
        let isAllowed = try await queryingLedger(
            await ledger.read { rows throws(LedgerError) in
                if try rows.openShift() != nil { return true }
                guard let id else { return false }
                if try rows.operation(id) != nil { return true }
                return try rows.cardless(id) != nil
            })
        if !isAllowed {
            throw TapcardError(Refusal(.shiftNeeded, "no shift is open here"))
        }
    }

    /// The shift from the ledger's response, and whether an earlier request had the same effect.
    /// Throws if the request was refused or its ID belongs to another shift.
    private static func done(
        _ outcome: ShiftOutcome, _ id: ShiftID?
    ) throws(TapcardError) -> (shift: Shift, isReplayed: Bool) {
        switch outcome {
        case .done(let shift): return (shift, false)
        case .earlier(let shift): return (shift, true)
        case .refused(let refusal): throw TapcardError(refusal)
        case .mismatched:
            throw TapcardError(
                .operationMismatch, "The ID already belongs to another shift.",
                meaning: "Nothing was changed.", operation: id)
        }
    }
}
