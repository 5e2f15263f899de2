public import TapcardDomain

/// A change without a card: a sale that is paid in another way, its undoing, or cash that is put
/// into the drawer or taken out of it. It touches no tag, so it is final at once.
public struct CardlessOperation: Hashable, Identifiable, Sendable {
    /// The kind of change. The raw values are stored, so they must not change.
    public enum Kind: String, Sendable, CaseIterable {
        /// Sells without a card.
        case sale
        /// Undoes such a sale in full.
        case undo
        /// Puts cash into the drawer.
        case cashIn = "cash-in"
        /// Takes cash out of the drawer.
        case cashOut = "cash-out"
    }

    /// The ID from the request.
    public let id: OperationID
    /// The kind of change.
    public let kind: Kind
    /// The amount in minor units: what was sold or put into the drawer. It is negative for an
    /// undone sale, for cash taken out, and for returned deposits worth more than what was sold.
    public let amount: Int64
    /// How the sale was paid; cash for a change of the drawer.
    public let tender: Tender
    /// What was added to the amount so that it could be paid in cash, in minor units.
    public let rounding: Int64
    /// The cash that the customer gave, in minor units, if the cashier entered it.
    public let given: Int64?
    /// What was sold.
    public let lines: [SaleLine]
    /// The sale that this operation undoes. Each can be undone only once.
    public let reverses: OperationID?
    /// Why cash was put into the drawer or taken out of it.
    public let reason: SaleText?
    /// The cashier, if known.
    public let cashier: CashierName?
    /// The time, by the ledger's clock.
    public let at: Timestamp
    /// The shift that was open at the station. The ledger's storage fills this in.
    public internal(set) var shift: ShiftID?

    /// Creates an operation.
    public init(
        id: OperationID, kind: Kind, amount: Int64, tender: Tender = .cash, rounding: Int64 = 0,
        given: Int64? = nil, lines: [SaleLine] = [], reverses: OperationID? = nil,
        reason: SaleText? = nil, cashier: CashierName? = nil, at: Timestamp, shift: ShiftID? = nil
    ) {
        (self.id, self.kind, self.amount, self.tender) = (id, kind, amount, tender)
        (self.rounding, self.given, self.lines) = (rounding, given, lines)
        (self.reverses, self.reason, self.cashier) = (reverses, reason, cashier)
        (self.at, self.shift) = (at, shift)
    }

    /// What the customer paid or was put into the drawer, in minor units. Wraps, because altered
    /// rows may contain any number.
    public var paid: Int64 { amount &+ rounding }

    /// The change to give back, if the cashier entered what the customer gave.
    public var change: Int64? { given.map { $0 &- paid } }

    /// The cash that came into the drawer, in minor units; negative if it went out.
    public var cash: Int64 { tender == .cash ? paid : 0 }

    /// Whether a request asks for the same as this one did. The cash that the customer gave changes
    /// nothing in the ledger, so it is not compared.
    func isSame(as other: CardlessOperation) -> Bool {
        (kind, amount, tender, rounding) == (other.kind, other.amount, other.tender, other.rounding)
            && (lines, reverses, reason) == (other.lines, other.reverses, other.reason)
    }

    /// Whether this operation returns exactly what the sale took.
    func isUndo(of sale: CardlessOperation) -> Bool {
        sale.kind == .sale && tender == sale.tender && lines.isEmpty
            && amount == -sale.amount && rounding == -sale.rounding
    }

    /// The entries that this operation stands for.
    package var postings: [(account: Account, amount: Int64)] {
        let source = kind == .sale || kind == .undo ? Account.takings : .safe
        let all = [(source, amount), (Account(tender), 0 &- paid), (.rounding, rounding)]
        return all.filter { $0.1 != 0 }
    }
}

/// The ID of a shift.
public typealias ShiftID = UniqueID

/// The outcome of a request for a change without a card.
public enum CardlessOutcome: Hashable, Sendable {
    /// The change was just booked.
    case booked(CardlessOperation)
    /// The same request was booked before.
    case earlier(CardlessOperation)
    /// The ID belongs to another request.
    case mismatched
    /// The change breaks a rule.
    case refused(Refusal)
}

extension LedgerStore {
    /// Books a sale without a card, or cash that is put into the drawer or taken out. A repeated
    /// request gets its earlier outcome.
    public func book(
        _ operation: CardlessOperation
    ) async throws(LedgerError) -> CardlessOutcome {
        try await write(touching: Footprint(ids: [operation.id])) { rows throws(LedgerError) in
            if let known = try rows.outcome(of: operation, id: operation.id) { return known }
            return try rows.book(operation)
        }
    }

    /// Undoes a sale without a card in full, once.
    public func undo(
        _ sale: OperationID, id: OperationID, by cashier: CashierName?, at now: Timestamp
    ) async throws(LedgerError) -> CardlessOutcome {
        try await write { rows throws(LedgerError) in
            guard let sold = try rows.cardless(sale), sold.kind == .sale else {
                return .refused(
                    Refusal(.notRefundable, "operation \(sale) is not a sale without a card"))
            }
            let undo = CardlessOperation(
                id: id, kind: .undo, amount: -sold.amount, tender: sold.tender,
                rounding: -sold.rounding, reverses: sale, cashier: cashier, at: now)
            if let known = try rows.outcome(of: undo, id: id) { return known }
            let isUndone = try rows.cardless(undoing: sale) != nil
            guard !isUndone || SafetyRule.saleIsUndoneOnce.isDisabled else {
                return .refused(
                    Refusal(.alreadyRefunded, "the sale \(sale) was already undone"))
            }
            return try rows.book(undo)
        }
    }

    /// The change without a card that has this ID, if any.
    public func cardless(_ id: OperationID) async throws(LedgerError) -> CardlessOperation? {
        try await read { rows throws(LedgerError) in try rows.cardless(id) }
    }
}

extension LedgerRows {
    /// The outcome of a request whose ID was used before; nil for a new ID.
    fileprivate func outcome(
        of operation: CardlessOperation, id: OperationID
    ) throws(LedgerError) -> CardlessOutcome? {
        if let known = try cardless(id) {
            return known.isSame(as: operation) ? .earlier(known) : .mismatched
        }
        return try isUsed(id) ? .mismatched : nil
    }

    fileprivate func book(_ operation: CardlessOperation) throws(LedgerError) -> CardlessOutcome {
        let limit = Currency.largestBalance
        let isSum =
            operation.kind != .sale || operation.lines.total == operation.amount
            || SafetyRule.linesAddUp.isDisabled
        guard operation.amount != 0, (-limit...limit).contains(operation.amount), isSum,
            operation.lines.count <= [SaleLine].maximumCount
        else {
            return .refused(
                Refusal(.badAmount, "the amount is not valid, or the lines do not add up to it"))
        }
        try insert(operation)
        return .booked(operation)
    }

    /// All changes without a card that were made at or after `start` and before `end`, oldest first.
    public func pagesOfCardless(
        since start: Timestamp = .earliest, until end: Timestamp = .latest
    ) -> Pages<CardlessOperation> {
        Pages { last, count throws(LedgerError) in
            try cardless(since: start, until: end, after: last, atMost: count)
        }
    }
}

extension Timestamp {
    /// The first time that a ledger can store.
    public static let earliest = Timestamp(milliseconds: -8_640_000_000_000_000)
    /// The last time that a ledger can store.
    public static let latest = Timestamp(milliseconds: 8_640_000_000_000_000)
}
