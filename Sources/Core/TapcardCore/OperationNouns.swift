public import Ledger

extension Operation.Kind {
    /// Whether the caller may name its id, so that the same request can be made again.
    var takesIDOfClient: Bool {
        switch self {
        case .pay, .add, .refund, .reverse, .close, .scratch, .activate, .ticket, .payout, .issue,
            .adopt, .replace:
            true
        case .ask, .claim, .game, .reseal, .protect, .unprotect, .block, .unblock, .forget: false
        }
    }

    /// Whether cash leaves the drawer once it has happened.
    public var handsOutCash: Bool { self == .close || self == .reverse }

    /// What has been done once it has happened, of what moves a customer's money.
    var done: String {
        switch self {
        case .pay, .ticket: "paid"
        case .add: "added"
        default: "done"
        }
    }

    /// What people call it in a sentence.
    public var noun: String {
        switch self {
        case .issue: "issue"
        case .adopt: "adoption"
        case .replace: "replacement"
        case .pay: "payment"
        case .add: "top-up"
        case .refund: "refund"
        case .reverse: "reversal"
        case .scratch: "scratching"
        case .activate: "activation"
        case .ask: "asking for an activation"
        case .close: "paying out"
        case .ticket: "ticket purchase"
        case .claim: "prize claim"
        case .payout: "prize payout"
        case .game: "keeping of a game"
        case .reseal: "rewriting"
        case .protect: "protecting"
        case .unprotect: "unprotecting"
        case .block: "blocking"
        case .unblock: "unblocking"
        case .forget: "forgetting"
        }
    }
}
