/// The money taken and paid out in a period, in minor units. Voidable changes count when they are
/// committed; changes outside the card count from their beginning, as they cannot be undone.
public struct Takings: Hashable, Sendable {
    /// The payments with cards, less refunds. No coin moves.
    public private(set) var paid: Int64 = 0
    /// The cash put into the drawer for funds on cards, less additions taken back.
    public private(set) var added: Int64 = 0
    /// The cash taken out of the drawer: closed accounts, and prizes that were paid by hand.
    public private(set) var paidOut: Int64 = 0
    public private(set) var payments = 0
    public private(set) var additions = 0
    public private(set) var payouts = 0

    public init() {}

    /// The change of the cash in the drawer.
    public var drawer: Int64 { added - paidOut }

    /// Adds an operation. `closed` is the balance of the account that it closed to make a new card
    /// of the tag.
    public mutating func count(_ operation: Operation, closed: Int64 = 0) {
        if closed > 0 {
            paidOut += closed
            payouts += 1
        }
        guard
            operation.state == .committed
                || operation.state == .pending && !operation.kind.isVoidable
        else { return }
        switch operation.kind {
        case .pay, .ticket:
            paid += operation.amount
            payments += 1
        case .refund:
            paid -= operation.amount
        case .add, .issue:
            guard operation.amount > 0 else { return }
            added += operation.amount
            additions += 1
        case .reverse:
            added -= operation.amount
        case .close, .payout:
            guard operation.amount > 0 else { return }
            paidOut += operation.amount
            payouts += 1
        // Balances from other writers or lost cards, and prizes on cards, never were in the drawer.
        case .adopt, .replace, .claim: return
        case .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect, .block, .unblock,
            .forget:
            return
        }
    }
}

extension LedgerRows {
    /// The balance of the tag's previous account that a making closed, in minor units.
    public func balanceClosed(by operation: Operation) throws(LedgerError) -> Int64 {
        guard operation.kind.makesCard else { return 0 }
        return try entries(of: operation.id).first { $0.account == .reissued }?.amount ?? 0
    }
}
