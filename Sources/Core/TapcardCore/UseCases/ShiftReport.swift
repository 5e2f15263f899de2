package import Ledger
package import TapcardDomain

/// The report of a closed shift. Sums wrap, because altered rows may contain any number.
package struct ShiftReport: Sendable {
    /// The way in which something was paid: with a card, or with a tender.
    package typealias Way = Tender?

    /// The shift.
    package let shift: Shift
    /// What was sold, by the way it was paid, in minor units, without refunds.
    package private(set) var sales: [Way: Int64] = [:]
    /// What each cashier sold.
    package private(set) var salesOfCashiers: [CashierName?: Int64] = [:]
    /// The top-ups, by the way they were paid.
    package private(set) var topUps: [Way: Int64] = [:]
    /// What was refunded, by the way it was returned. This includes reversed top-ups.
    package private(set) var refunds: [Way: Int64] = [:]
    /// The cash paid out for closed cards and prizes.
    package private(set) var paidOut: Int64 = 0
    /// What rounding cash gained or lost.
    package private(set) var rounding: Int64 = 0
    /// The cash put into the drawer and taken out of it.
    package private(set) var moves: [CardlessOperation] = []
    /// The operations that began in this shift and were booked after its end. They count in the
    /// shift that was open then, if any.
    package private(set) var late: [Operation] = []

    /// All ways in which something can be paid.
    package static let ways: [Way] = [nil, .cash, .terminal, .other]

    /// The report of a shift that is closed; nil for a shift that is open, because its cash must be
    /// counted first.
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

    private mutating func count(_ operation: CardlessOperation) {
        rounding &+= operation.rounding
        switch operation.kind {
        case .sale: sell(operation.amount, operation.tender, operation.cashier)
        case .undo: refunds[operation.tender, default: 0] &-= operation.amount
        case .cashIn, .cashOut: moves.append(operation)
        }
    }

    private mutating func sell(_ amount: Int64, _ way: Way, _ cashier: CashierName?) {
        sales[way, default: 0] &+= amount
        salesOfCashiers[cashier, default: 0] &+= amount
    }
}

/// A station's shifts. No reader is used.
package enum Shifts {
    /// A shift, and its report if it is closed.
    package typealias Found = (shift: Shift, report: ShiftReport?)

    /// The shift that is open at this station, if any.
    package static func open(in ledger: any LedgerStore) async throws(TapcardError) -> Shift? {
        try await queryingLedger(
            await ledger.read { rows throws(LedgerError) in try rows.openShift() })
    }

    /// The shift with this ID.
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

    /// All shifts of all stations, oldest first.
    package static func all(in ledger: any LedgerStore) async throws(TapcardError) -> [Shift] {
        try await queryingLedger(
            await ledger.read { rows throws(LedgerError) in try rows.shifts() })
    }

    /// Opens a shift.
    package static func open(
        _ id: ShiftID, float: Money, in ledger: any LedgerStore,
        _ dependencies: Station.Dependencies
    ) async throws(TapcardError) -> (shift: Shift, isReplayed: Bool) {
        let shift = Shift(
            id: id, openedAt: ledger.time(at: dependencies.now()), openedBy: dependencies.cashier,
            float: float.minorUnits)
        return try done(try await queryingLedger(await ledger.open(shift)), id)
    }

    /// Saves a count of a shift's cash, which closes an open shift.
    package static func count(
        _ id: ShiftID?, _ cash: Money, in ledger: any LedgerStore,
        _ dependencies: Station.Dependencies
    ) async throws(TapcardError) -> (shift: Shift, isReplayed: Bool) {
        try done(
            try await queryingLedger(
                await ledger.count(
                    id, cash.minorUnits, by: dependencies.cashier,
                    at: ledger.time(at: dependencies.now()))), id)
    }

    /// Refuses a sale or a top-up without an open shift. A request that was recorded before gets
    /// its answer in any case.
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
            throw TapcardError(Refusal(.shiftNeeded, "no shift is open at this station"))
        }
    }

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
