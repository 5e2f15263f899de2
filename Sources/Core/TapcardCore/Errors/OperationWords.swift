public import Ledger
import TapcardDomain

extension Operation.Kind {
    /// Whether the caller may choose the id, so that the request can be retried.
    var takesIDOfClient: Bool {
        switch self {
        case .pay, .add, .refund, .reverse, .close, .scratch, .activate, .ticket, .payout, .issue,
            .adopt, .replace, .offline:
            true
        case .ask, .claim, .game, .reseal, .protect, .unprotect, .block, .unblock, .forget: false
        }
    }

    /// Whether the ledger books it when it begins: it has happened, and the card follows.
    var isBookedAtOnce: Bool {
        switch self {
        case .add, .refund, .reverse, .claim, .scratch, .activate, .game, .issue, .adopt, .replace:
            true
        case .pay, .ticket, .close, .protect, .unprotect, .reseal, .ask, .payout, .offline,
            .block, .unblock, .forget:
            false
        }
    }

    /// Whether cash leaves the drawer once it has happened.
    public var handsOutCash: Bool { self == .close || self == .reverse }

    /// The words for a completed operation that moves a customer's money.
    var done: String {
        switch self {
        case .pay, .ticket, .offline: "paid"
        case .add: "added"
        default: "done"
        }
    }

    /// The words for a voided operation: the missing change, and its meaning for the money.
    var notDone: (what: String, meaning: String) {
        switch self {
        case .pay, .ticket, .offline: ("Not paid.", "Nothing was taken from the card.")
        case .add: ("Not added.", "The card has what it had before.")
        case .refund: ("Not refunded.", "The card has what it had before.")
        case .reverse: ("Not taken back.", "The card has what it had before; hand out nothing.")
        case .close: ("Not paid out.", "The card has what it had before; hand out nothing.")
        case .claim: ("Not claimed.", "The ticket can still be claimed.")
        case .issue, .adopt, .replace: ("The card was not made.", "No money moved.")
        case .scratch: ("Not scratched.", "There is no code yet.")
        case .activate: ("Not activated.", "The code is as good as before.")
        case .ask, .payout, .game, .reseal, .protect, .unprotect, .block, .unblock, .forget:
            ("That was not done.", "No money moved.")
        }
    }

    /// The operation's name in a sentence.
    public var noun: String {
        switch self {
        case .issue: "new card"
        case .adopt: "adoption"
        case .replace: "replacement"
        case .pay: "payment"
        case .add: "top-up"
        case .refund: "refund"
        case .reverse: "reversal"
        case .scratch: "scratching"
        case .activate: "activation"
        case .ask: "asking for an activation"
        case .close: "payout"
        case .ticket: "ticket purchase"
        case .claim: "prize claim"
        case .payout: "prize payout"
        case .offline: "offline payment"
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

extension Operation {
    /// The time and the cashier of the operation, as the end of a sentence.
    public var whenAndByWhom: String {
        (CivilTime(begunAt).map { " at \($0) UTC" } ?? "")
            + (cashier.map { " by \($0.text)" } ?? "")
    }
}

extension TapcardError {
    /// The refusal of a request that is made for the first time, where the ledger was offline
    /// before anything was begun.
    public func beforeBeginning(_ kind: Operation.Kind) -> TapcardError {
        guard self.kind == .ledgerOffline else { return self }
        let (what, meaning) = kind.notDone
        return saying(
            meaning: "\(what.dropLast()): \(meaning.prefix(1).lowercased())\(meaning.dropFirst())",
            next: [.ledger(kind == .add ? .addWhenBack : .waitForLedger(nil))])
    }
}

extension TapcardError {
    /// The answer about an operation that was given up: it did not happen, and never will.
    static func notDone(
        _ kind: Operation.Kind, _ amount: Money, _ uid: CardUID
    ) -> TapcardError {
        let (what, meaning) = kind.notDone
        return TapcardError(
            .operationVoided, what, meaning: meaning, next: [.request(.again(kind, amount))],
            uid: uid)
    }
}

/// The refusals of a request that looks like an earlier one.
extension Station {
    /// Refuses a request without an id that this tap has just resolved: it is more likely a retry
    /// than a second payment.
    func justResolved(_ done: Operation) async -> TapcardError {
        let amount = Money(minorUnits: done.amount, currency).shown
        let known = try? await ledger.knownCard(of: done.uid)
        let holds = known.map { " The card holds \($0.balance.shown)." } ?? ""
        return TapcardError(
            .justResolved,
            "The interrupted \(done.kind.noun) of \(amount) was just resolved as "
                + "\(done.kind.done): it is not done a second time.",
            meaning: "It counts once.\(holds)", uid: done.uid, operation: done.id)
    }

    func mismatch(_ operation: Operation) -> TapcardError {
        let amount =
            operation.amount == 0 ? "" : " \(Money(minorUnits: operation.amount, currency))"
        return TapcardError(
            .operationMismatch,
            "Operation \(operation.id) was used before, for another request: "
                + "\(operation.kind.rawValue)\(amount) on card \(operation.uid).",
            meaning: "Nothing was changed on card or ledger.", uid: operation.uid,
            operation: operation.id)
    }

    func voided(_ operation: Operation) -> TapcardError {
        .notDone(operation.kind, Money(minorUnits: operation.amount, currency), operation.uid)
    }
}
