import TapcardDomain

/// The money taken and paid out in a period, in minor units. Voidable changes count when they are
/// committed; changes outside the card count from their beginning, as they cannot be undone. Sums
/// wrap: rows that others wrote may hold anything.
package struct Takings: Hashable, Sendable {
    /// The payments with cards, less refunds. No coin moves. An offline payment counts in full.
    package private(set) var paid: Int64 = 0
    /// The cash put into the drawer for top-ups, less top-ups taken back.
    package private(set) var added: Int64 = 0
    /// The cash taken out of the drawer: closed accounts, and prizes that were paid by hand.
    package private(set) var paidOut: Int64 = 0
    /// The part of offline payments that the cards could not pay.
    package private(set) var shortfall: Int64 = 0
    package private(set) var payouts = 0
    /// What is left of each payment and top-up, so that one taken back entirely does not count.
    private var sold: [OperationID: Int64] = [:]
    private var loaded: [OperationID: Int64] = [:]

    package init() {}

    /// The number of payments that were not refunded entirely.
    package var payments: Int { sold.values.count { $0 > 0 } }
    /// The number of top-ups that were not taken back entirely.
    package var topUps: Int { loaded.values.count { $0 > 0 } }

    /// The change of the cash in the drawer.
    package var drawer: Int64 { added &- paidOut }

    /// Adds an operation, with what it has booked besides its amount.
    package mutating func count(_ operation: Operation, _ besides: BookedBesides = .nothing) {
        if besides.closed > 0 {
            paidOut &+= besides.closed
            payouts += 1
        }
        shortfall &+= besides.shortfall
        guard
            operation.state == .committed
                || operation.state == .pending && !operation.kind.isVoidable
        else { return }
        switch operation.kind {
        case .pay, .ticket, .offline:
            paid &+= operation.amount
            sold[operation.id, default: 0] &+= operation.amount
        case .refund:
            paid &-= operation.amount
            sold[operation.reverses ?? operation.id, default: 0] &-= operation.amount
        case .add, .issue:
            guard operation.amount > 0 else { return }
            added &+= operation.amount
            loaded[operation.id, default: 0] &+= operation.amount
        case .reverse:
            added &-= operation.amount
            loaded[operation.reverses ?? operation.id, default: 0] &-= operation.amount
        case .close, .payout:
            guard operation.amount > 0 else { return }
            paidOut &+= operation.amount
            payouts += 1
        // Balances from other writers or lost cards, and prizes on cards, never were in the drawer.
        case .adopt, .replace, .claim: return
        case .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect, .block, .unblock,
            .forget:
            return
        }
    }
}

/// The amounts that an operation has booked besides its own, in minor units.
public struct BookedBesides: Hashable, Sendable {
    /// The balance of the tag's previous account that a making closed.
    public let closed: Int64
    /// The part of an offline payment that its card could not pay.
    public let shortfall: Int64

    /// The operation has booked only its own amount.
    public static let nothing = BookedBesides(closed: 0, shortfall: 0)
}

extension LedgerRows {
    /// The amounts that the ledger has booked with this operation, besides its own.
    public func booked(besides operation: Operation) throws(LedgerError) -> BookedBesides {
        guard operation.kind.makesCard || operation.kind == .offline else { return .nothing }
        let entries = try entries(of: operation.id)
        return BookedBesides(
            closed: entries.first { $0.account == .reissued }?.amount ?? 0,
            shortfall: -(entries.first { $0.account == .shortfall }?.amount ?? 0))
    }
}
