public import Ledger

extension Operation.Kind {
    /// What people call it in a sentence.
    public var noun: String {
        switch self {
        case .issue: "issue"
        case .adopt: "adoption"
        case .replace: "replacement"
        case .pay: "payment"
        case .add: "top-up"
        case .refund: "refund"
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
