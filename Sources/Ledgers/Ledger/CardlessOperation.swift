public import TapcardDomain

/// A sale without a card, its undo, or cash put into the drawer or taken out of it. It is final as
/// soon as it is booked, because no tag has to be written.
public struct CardlessOperation: Hashable, Identifiable, Sendable {
    /// The kinds of changes without a card.
    public enum Kind: String, Sendable, CaseIterable {
        /// A sale, or a return of deposits that are worth more than what is sold.
        case sale
        /// Undoes a sale in full.
        case undo
        /// Puts cash into the drawer.
        case cashIn = "cash-in"
        /// Takes cash out of the drawer.
        case cashOut = "cash-out"
    }

    /// The ID from the request. No operation on a card has the same ID.
    public let id: OperationID
    /// Whether the change is a sale, an undo, or cash put into the drawer or taken out of it.
    public let kind: Kind
    /// The amount before rounding, in minor units: positive if money comes in, negative if it goes
    /// out.
    public let amount: Int64
    /// How the amount is paid or returned. Cash put into the drawer or taken out of it is always
    /// `cash`.
    public let tender: Tender
    /// The amount added by rounding cash, in minor units; 0 for other tenders.
    public let rounding: Int64
    /// The cash that the customer handed over, in minor units; nil if it was not entered.
    public let given: Int64?
    /// What was sold; empty for anything other than a sale.
    public let lines: [SaleLine]
    /// The sale that an undo undoes; nil for other kinds.
    public let reverses: OperationID?
    /// Why cash was put into the drawer or taken out of it; nil for a sale or an undo.
    public let reason: SaleText?
    /// Who made the change, and at which till.
    public let requester: Requester
    /// When the change was made, by the ledger's clock.
    public let at: Timestamp
    /// The shift that was open at the station; nil if none was. The ledger's storage fills this in.
    public internal(set) var shift: ShiftID?
    /// The login of the station that booked it; nil if it is not known, as in a ledger that only
    /// one station uses.
    public internal(set) var station: String?

    /// Creates a change. Its amount and lines are checked when ``LedgerStore/book(_:)`` books it.
    public init(
        id: OperationID, kind: Kind, amount: Int64, tender: Tender = .cash, rounding: Int64 = 0,
        given: Int64? = nil, lines: [SaleLine] = [], reverses: OperationID? = nil,
        reason: SaleText? = nil, by requester: Requester = Requester(), at: Timestamp,
        shift: ShiftID? = nil, station: String? = nil
    ) {
        (self.id, self.kind, self.amount, self.tender) = (id, kind, amount, tender)
        (self.rounding, self.given, self.lines) = (rounding, given, lines)
        (self.reverses, self.reason, self.requester) = (reverses, reason, requester)
        (self.at, self.shift, self.station) = (at, shift, station)
    }

    /// The cashier who made the change, if known.
    public var cashier: CashierName? { requester.cashier }

    /// The amount after rounding, in minor units, which is what the customer pays or gets back.
    public var paid: Int64 { amount &+ rounding }

    /// The cash to give back to the customer, in minor units; nil if ``given`` is nil.
    public var change: Int64? { given.map { $0 &- paid } }

    /// The change to the cash in the drawer, in minor units.
    public var cash: Int64 { tender == .cash ? paid : 0 }

    /// Whether two changes with the same ID come from the same request. The cash given, the
    /// requester, and the time are not compared, because they may differ on a retry.
    func isSame(as other: CardlessOperation) -> Bool {
        (kind, amount, tender, rounding) == (other.kind, other.amount, other.tender, other.rounding)
            && (lines, reverses, reason) == (other.lines, other.reverses, other.reason)
    }

    /// Whether the tender, the amounts, and the lines are those of an undo of this sale. ``kind``
    /// and ``reverses`` are not checked.
    func isUndo(of sale: CardlessOperation) -> Bool {
        sale.kind == .sale && tender == sale.tender && lines.isEmpty
            && amount == -sale.amount && rounding == -sale.rounding
    }

    /// The amounts to post on the issuer's accounts. They add up to 0, and amounts of 0 are left
    /// out.
    package var postings: [(account: Account, amount: Int64)] {
        let source = kind == .sale || kind == .undo ? Account.takings : .safe
        let all = [(source, amount), (Account(tender), 0 &- paid), (.rounding, rounding)]
        return all.filter { $0.1 != 0 }
    }
}

/// The ID of a shift, which is also the ID of the request that opened it.
public typealias ShiftID = UniqueID

/// The ledger's response to a request for a change without a card.
public enum CardlessOutcome: Hashable, Sendable {
    /// The change has just been booked.
    case booked(CardlessOperation)
    /// The same request was booked before, so nothing was booked now.
    case earlier(CardlessOperation)
    /// The ID was already used for a different request.
    case mismatched
    /// The change breaks a rule; nothing was booked.
    case refused(Refusal)
}

extension LedgerStore {
    /// Books a sale or a change of the drawer. If the same request was booked before, returns that
    /// booking. To undo a sale, use ``undo(_:id:by:at:)``.
    public func book(
        _ operation: CardlessOperation
    ) async throws(LedgerError) -> CardlessOutcome {
        try await write(touching: Footprint(ids: [operation.id])) { rows throws(LedgerError) in
            if let known = try rows.outcome(of: operation) { return known }
            return try rows.book(operation)
        }
    }

    /// Undoes a sale without a card in full, with the same tender and rounding. A sale can be
    /// undone only once. `id` is the ID of the undo itself, and a retry with the same ID returns
    /// the earlier undo. The time `now` is by the ledger's clock.
    public func undo(
        _ sale: OperationID, id: OperationID, by requester: Requester, at now: Timestamp
    ) async throws(LedgerError) -> CardlessOutcome {
        try await write { rows throws(LedgerError) in
            guard let sold = try rows.cardless(sale), sold.kind == .sale else {
                return .refused(
                    Refusal(.notRefundable, "operation \(sale) is not a sale without a card"))
            }
            let undo = CardlessOperation(
                id: id, kind: .undo, amount: -sold.amount, tender: sold.tender,
                rounding: -sold.rounding, reverses: sale, by: requester, at: now)
            if let known = try rows.outcome(of: undo) { return known }
            let isUndone = try rows.cardless(undoing: sale) != nil
            guard !isUndone || SafetyRule.saleIsUndoneOnce.isDisabled else {
                return .refused(
                    Refusal(.alreadyRefunded, "the sale \(sale) was already undone"))
            }
            return try rows.book(undo)
        }
    }

    /// The change without a card that has this ID; nil if there is none.
    public func cardless(_ id: OperationID) async throws(LedgerError) -> CardlessOperation? {
        try await read { rows throws(LedgerError) in try rows.cardless(id) }
    }
}

extension LedgerRows {
    /// The outcome of an earlier request with this ID; nil if the ID has not been used.
    fileprivate func outcome(
        of operation: CardlessOperation
    ) throws(LedgerError) -> CardlessOutcome? {
        if let known = try cardless(operation.id) {
            return known.isSame(as: operation) ? .earlier(known) : .mismatched
        }
        return try isUsed(operation.id) ? .mismatched : nil
    }

    /// Checks and inserts a change. The caller has already checked that its ID is new.
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

    /// The changes without a card that were made at or after `start` and before `end`, oldest
    /// first.
    public func pagesOfCardless(
        since start: Timestamp = .earliest, until end: Timestamp = .latest
    ) -> Pages<CardlessOperation> {
        Pages { last, count throws(LedgerError) in
            try cardless(since: start, until: end, after: last, atMost: count)
        }
    }
}

extension Timestamp {
    /// The earliest time that a ledger can contain: 100,000,000 days before the start of 1970 in
    /// UTC.
    public static let earliest = Timestamp(milliseconds: -8_640_000_000_000_000)
    /// The latest time that a ledger can contain: 100,000,000 days after the start of 1970 in UTC.
    public static let latest = Timestamp(milliseconds: 8_640_000_000_000_000)
}
