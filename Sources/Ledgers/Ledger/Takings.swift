public import TapcardDomain

/// The money taken and paid out in a period, in minor units. Voidable changes count when they are
/// committed; others count as soon as they begin, because they are never voided. Sums wrap, because
/// altered rows may contain any number.
package struct Takings: Hashable, Sendable {
    /// What was paid with cards, minus refunds and credits. An offline payment counts in full; the
    /// parts of sales that were not paid with a card do not count.
    package private(set) var paid: Int64 = 0
    /// The top-ups minus reversals, however they were paid.
    package private(set) var added: Int64 = 0
    /// What was paid with each tender, minus what was returned: top-ups, sales without a card, and
    /// the parts of sales that were not paid with a card.
    package private(set) var tendered: [Tender: Int64] = [:]
    /// The cash taken out of the drawer for closed accounts and for prizes.
    package private(set) var paidOut: Int64 = 0
    /// The part of offline payments that the cards' balances could not cover.
    package private(set) var shortfall: Int64 = 0
    package private(set) var payouts = 0
    /// The sales without a card, minus those undone.
    package private(set) var soldWithoutCard: Int64 = 0
    /// What rounding sales paid in cash gained or lost.
    package private(set) var rounding: Int64 = 0
    /// The cash put into the drawer, and the cash taken out.
    package private(set) var cashIn: Int64 = 0
    package private(set) var cashOut: Int64 = 0
    /// What remains of each payment and top-up, so that one that was fully returned does not count.
    private var sold: [OperationID: Int64] = [:]
    private var toppedUp: [OperationID: Int64] = [:]

    package init() {}

    /// The number of payments that were not fully refunded.
    package var payments: Int { sold.values.count { $0 > 0 } }
    /// The number of top-ups that were not fully reversed.
    package var topUps: Int { toppedUp.values.count { $0 > 0 } }

    /// The change in the cash in the drawer.
    package var drawer: Int64 { tendered[.cash, default: 0] &- paidOut &+ cashIn &- cashOut }

    /// Adds a change without a card.
    package mutating func count(_ operation: CardlessOperation) {
        switch operation.kind {
        case .sale, .undo:
            soldWithoutCard &+= operation.amount
            rounding &+= operation.rounding
            tendered[operation.tender, default: 0] &+= operation.paid
        case .cashIn: cashIn &+= operation.amount
        case .cashOut: cashOut &-= operation.amount
        }
    }

    /// Adds an operation and the amounts it booked in addition to its own.
    package mutating func count(_ operation: Operation, _ besides: AdditionalBookings = .nothing) {
        if besides.closed > 0 {
            paidOut &+= besides.closed
            payouts += 1
        }
        shortfall &+= besides.shortfall
        // An open change that can still be voided does not count yet.
        guard operation.hasHappened else { return }
        switch operation.kind {
        case .pay, .ticket, .offline:
            paid &+= operation.amount
            if let rest = operation.rest { tendered[rest.tender, default: 0] &+= rest.amount }
            sold[operation.id, default: 0] &+= operation.amount
        case .credit: paid &-= operation.amount
        // What remains of a payment from an earlier period is below 0 here, so it does not count.
        case .refund:
            paid &-= operation.amount
            tendered[besides.tender, default: 0] &-= besides.rest
            sold[operation.reverses ?? operation.id, default: 0] &-= operation.amount
        case .add, .issue:
            // A card issued with an empty balance is not a top-up.
            guard operation.amount > 0 else { return }
            added &+= operation.amount
            tendered[operation.tender, default: 0] &+= operation.amount
            toppedUp[operation.id, default: 0] &+= operation.amount
        case .reverse:
            added &-= operation.amount
            tendered[besides.tender, default: 0] &-= operation.amount
            toppedUp[operation.reverses ?? operation.id, default: 0] &-= operation.amount
        case .close, .payout:
            // Closing a card with an empty balance pays out nothing.
            guard operation.amount > 0 else { return }
            paidOut &+= operation.amount
            payouts += 1
        // Balances from other software or lost cards, and prizes added to cards, were never in the
        // drawer.
        case .adopt, .replace, .claim: return
        case .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect, .block, .unblock,
            .forget:
            return
        }
    }
}

/// The amounts that an operation booked in addition to its own, in minor units.
public struct AdditionalBookings: Hashable, Sendable {
    /// The balance of the tag's earlier account, which was closed when a new card was made.
    public let closed: Int64
    /// The part of an offline payment that the card's balance could not cover.
    public let shortfall: Int64
    /// The part of a refunded sale that is returned in another way than onto the card.
    public var rest: Int64 = 0
    /// How a reversed top-up or the rest of a refunded sale had been paid.
    public var tender = Tender.cash

    /// The operation booked only its own amount.
    public static let nothing = AdditionalBookings(closed: 0, shortfall: 0)
}

extension LedgerRows {
    /// The amounts that this operation booked in addition to its own.
    public func booked(besides operation: Operation) throws(LedgerError) -> AdditionalBookings {
        if let reversed = operation.reverses {
            let original = try self.operation(reversed)
            guard operation.kind == .refund else {
                return AdditionalBookings(
                    closed: 0, shortfall: 0, tender: original?.tender ?? .cash)
            }
            // Most sales are paid with the card alone, so there is nothing to look up.
            guard let rest = original?.rest else { return .nothing }
            let isReturned = operation.amount == original?.amount
            return AdditionalBookings(
                closed: 0, shortfall: 0, rest: isReturned ? rest.amount : 0, tender: rest.tender)
        }
        guard operation.kind.makesCard || operation.kind == .offline else { return .nothing }
        let entries = try entries(of: operation.id)
        return AdditionalBookings(
            closed: entries.first { $0.account == .reissued }?.amount ?? 0,
            shortfall: -(entries.first { $0.account == .shortfall }?.amount ?? 0))
    }
}
