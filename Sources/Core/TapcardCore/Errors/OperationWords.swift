public import Ledger
import TapcardDomain

extension Operation.Kind {
    /// Whether the caller may choose the ID and can therefore retry the request safely.
    var acceptsClientID: Bool {
        switch self {
        case .pay, .credit, .add, .refund, .reverse, .close, .scratch, .activate, .ticket, .payout,
            .issue, .adopt, .replace, .offline:
            true
        case .ask, .claim, .game, .reseal, .protect, .unprotect, .block, .unblock, .forget: false
        }
    }

    /// Whether the operation takes effect in the ledger as soon as it begins. What it records has
    /// already happened, and the card is updated afterward.
    var takesEffectImmediately: Bool {
        switch self {
        case .add, .credit, .refund, .reverse, .claim, .scratch, .activate, .game, .issue, .adopt,
            .replace:
            true
        case .pay, .ticket, .close, .protect, .unprotect, .reseal, .ask, .payout, .offline,
            .block, .unblock, .forget:
            false
        }
    }

    /// Whether the cashier pays out cash once the operation has happened.
    public var paysOutCash: Bool { self == .close || self == .reverse }

    /// The past participle that a message uses for a completed operation of this kind.
    var done: String {
        switch self {
        case .pay, .ticket, .offline: "taken"
        case .add, .credit: "added"
        default: "done"
        }
    }

    /// The message about a voided operation: what did not happen, and what that means for the
    /// money.
    var notDone: (what: String, meaning: String) {
        switch self {
        case .pay, .ticket, .offline: ("The payment was not taken.", "The card was not charged.")
        case .add: ("The top-up was not made.", "The balance is unchanged.")
        case .credit: ("The deposits were not returned.", "The balance is unchanged.")
        case .refund: ("The refund was not made.", "The balance is unchanged.")
        case .reverse:
            (
                "The top-up was not undone.",
                "The balance is unchanged, so do not pay out any cash."
            )
        case .close:
            (
                "The card was not closed.",
                "The balance is unchanged, so do not pay out any cash."
            )
        case .claim: ("The prize was not claimed.", "The ticket can still be claimed.")
        case .issue, .adopt, .replace: ("The card was not made.", "No money moved.")
        case .scratch: ("The card was not scratched.", "No code was generated.")
        case .activate:
            (
                "The card was not activated.",
                "The code is unchanged and can still be activated."
            )
        case .ask, .payout, .game, .reseal, .protect, .unprotect, .block, .unblock, .forget:
            ("The request was not completed.", "No money moved.")
        }
    }

    /// The noun for the operation in a sentence.
    public var noun: String {
        switch self {
        case .issue: "card issuance"
        case .adopt: "conversion"
        case .replace: "replacement"
        case .pay: "payment"
        case .credit: "credit for returned deposits"
        case .add: "top-up"
        case .refund: "refund"
        case .reverse: "top-up reversal"
        case .scratch: "scratch-off"
        case .activate: "activation"
        case .ask: "activation request"
        case .close: "closing payout"
        case .ticket: "ticket purchase"
        case .claim: "prize claim"
        case .payout: "prize payout"
        case .offline: "offline payment"
        case .game: "game save"
        case .reseal: "record rewrite"
        case .protect: "write-password setup"
        case .unprotect: "write-password removal"
        case .block: "card block"
        case .unblock: "card unblock"
        case .forget: "name deletion"
        }
    }

    /// The noun and the ID at the beginning of a sentence, such as "Payment 4b442553-…".
    func titled(_ id: OperationID) -> String {
        "\(noun.prefix(1).uppercased())\(noun.dropFirst()) \(id)"
    }
}

extension Operation {
    /// When the operation began and which cashier began it, worded as the end of a sentence.
    public var whenAndByWhom: String {
        (CivilTime(beganAt).map { " at \($0) UTC" } ?? "")
            + (cashier.map { " by \($0.text)" } ?? "")
    }
}

extension TapcardError {
    /// This error, worded for a new request of this kind if the ledger went offline before the
    /// request began.
    public func beforeBeginning(_ kind: Operation.Kind) -> TapcardError {
        guard self.kind == .ledgerOffline else { return self }
        let (what, meaning) = kind.notDone
        return reworded(
            meaning: "\(what.dropLast()): \(meaning.prefix(1).lowercased())\(meaning.dropFirst())",
            next: [.ledger(kind == .add ? .addWhenBack : .waitForLedger(nil))])
    }
}

extension TapcardError {
    /// The error for an operation that was voided: it did not happen and never will.
    static func notDone(
        _ kind: Operation.Kind, _ amount: Money, _ uid: CardUID
    ) -> TapcardError {
        let (what, meaning) = kind.notDone
        return TapcardError(
            .operationVoided, what, meaning: meaning, next: [.request(.again(kind, amount))],
            uid: uid)
    }
}
