/// What was taken and paid out in some time, in minor units.
///
/// What only counts when the card has it, counts when it is committed; what happened outside the
/// card counts from the beginning, as it cannot be undone.
public struct Takings: Hashable, Sendable {
    /// Paid with cards, what was refunded not any more. No coin moves.
    public private(set) var paid: Int64 = 0
    /// Put into the drawer, for funds on cards; what was taken back not any more.
    public private(set) var added: Int64 = 0
    /// Taken out of the drawer: closed accounts, and prizes that were paid by hand.
    public private(set) var paidOut: Int64 = 0
    public private(set) var payments = 0
    public private(set) var additions = 0
    public private(set) var payouts = 0

    public init() {}

    /// By how much there is more in the drawer than before.
    public var drawer: Int64 { added - paidOut }

    /// `closed` is what an account held that this operation closed to make a new card of its tag.
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
        // What others had written, what was on a lost card, and prizes that went onto cards have
        // not been in the drawer.
        case .adopt, .replace, .claim: return
        case .scratch, .activate, .ask, .game, .reseal, .protect, .unprotect, .block, .unblock,
            .forget:
            return
        }
    }
}

extension LedgerRows {
    /// What a making closed with the account that its tag had before, in minor units.
    public func balanceClosed(by operation: Operation) throws(LedgerError) -> Int64 {
        guard operation.kind.makesCard else { return 0 }
        return try entries(of: operation.id).first { $0.account == .reissued }?.amount ?? 0
    }
}
