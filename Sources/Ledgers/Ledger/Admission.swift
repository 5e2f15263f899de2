public import TapcardDomain

/// What a change does to the ledger, computed before any row is changed.
struct Effects: Hashable, Sendable {
    var card: LedgerCard
    var amount: Int64 = 0
    var reverses: OperationID?
    var subject: Subject?
    /// What is sold.
    var lines: [SaleLine] = []
    /// The ticket being sold, which becomes valid once its purchase is committed.
    var sold: Ticket?
    /// The entries booked when the change begins; a voidable change is booked when it is confirmed.
    var entries: [Posting] = []
    /// The card that this one replaces.
    var lost: LedgerCard?
}

/// An entry without its operation.
struct Posting: Hashable, Sendable {
    let account: Account
    let amount: Int64

    /// Both sides of a double entry; empty if no money moves.
    static func move(_ amount: Int64, from source: Account, to target: Account) -> [Posting] {
        amount == 0 ? [] : pair(amount, from: source, to: target)
    }

    /// Both sides of a double entry, even if the amount is 0: the entries also show which accounts
    /// belong together.
    static func pair(_ amount: Int64, from source: Account, to target: Account) -> [Posting] {
        [Posting(account: target, amount: amount), Posting(account: source, amount: -amount)]
    }
}

/// The rows that a request may depend on, in addition to the card's own.
struct RequestContext: Sendable {
    /// The payment or top-up to return, or the purchase of the ticket to claim.
    var payment: Operation?
    /// The part of the payment that can be returned: its whole amount, unless it was taken offline
    /// and the card's balance did not cover it.
    var paid: Int64 = 0
    /// The accounts in the payment's entries.
    var paidFrom: [Account] = []
    /// The accounts whose money is now on this card: its own, and those of the cards that it
    /// replaced.
    var accounts: [Account] = []
    var earlierRefund: Operation?
    /// The card to replace.
    var lost: KnownCard?
    /// The ticket to claim, or an existing ticket with the ID of the one to sell.
    var sold: SoldTicket?
    var earlierClaim: Operation?
    /// Another card that has or had the code of the card to adopt.
    var codeOwner: CardUID?
    /// The attempt for the code on the card, unless the service rejected it.
    var activation: ActivationAttempt?
}

extension CardAction {
    /// The effects of this action on a known card; throws a refusal if the action is not allowed. A
    /// reseal moves no money, so it does not require an active card. A top-up can be reversed only
    /// while the available balance covers it.
    func effects(
        on known: KnownCard, _ context: RequestContext
    ) throws(Refusal) -> Effects {
        if case .make(let plan) = self {
            return try plan.effects(onKnown: known, context)
        }
        var effects = Effects(card: known.card)
        if case .reseal(let floor) = self {
            effects.card.allocated = max(known.card.allocated, floor)
            return effects
        }
        if case .unprotect = self {
            // The tag of a blocked, closed, or replaced card can still be unprotected.
            effects.card.protection = try known.card.unprotecting()
            return effects
        }
        if case .activate = self {
            effects.card.scratch = try context.activating(known.card)
            effects.subject = .scratch(effects.card.scratch)
            return effects
        }
        try known.card.requireActive()
        guard let purse = known.purse else {
            throw Refusal(.limitExceeded, "the balance in the ledger exceeds the limits for a card")
        }
        switch self {
        case .pay, .credit, .add:
            try effects.setMoney(of: self, purse, known.card.purse)
        case .refund(let id, let amount):
            let amount = try context.refundable(id, amount, on: known, .pay)
            _ = try purse.adding(amount)
            effects.setRefund(amount, of: id, from: .takings, to: known.card.purse)
            effects.entries += context.returningRest(amount)
        case .reverse(let id, let amount):
            let amount = try context.refundable(id, amount, on: known, .add)
            _ = try purse.holding(amount)
            effects.setRefund(
                amount, of: id, from: known.card.purse,
                to: Account(context.payment?.tender ?? .cash))
        case .scratch(let code):
            effects.card.scratch = try known.card.scratch.scratching(to: code)
            effects.subject = .scratch(effects.card.scratch)
        case .ticket(let ticket, let price):
            if let sold = context.sold { throw sold.alreadySoldRefusal }
            _ = try purse.holding(price)
            effects.amount = price.minorUnits
            effects.subject = .ticket(ticket)
            effects.sold = ticket
        case .claim(let id, let prize):
            try context.requireClaimable(id, on: known)
            _ = try purse.adding(prize)
            effects.amount = prize.minorUnits
            effects.subject = .prize(id)
            effects.entries = Posting.move(
                prize.minorUnits, from: .prizes, to: known.card.purse)
        case .game(let game):
            effects.card.game = game
            effects.subject = game.map { .game($0.id) }
        case .close:
            effects.amount = purse.available.minorUnits
        case .protect(let keyID):
            effects.card.protection = try known.card.protecting(with: keyID)
        case .reseal, .make, .unprotect, .activate: break
        }
        return effects
    }
}

extension Effects {
    /// Sets what a sale or a top-up does.
    fileprivate mutating func setMoney(
        of action: CardAction, _ purse: Purse, _ account: Account
    ) throws(Refusal) {
        switch action {
        case .pay(let money, let sale):
            // This only checks the amount: a payment is booked when its record is confirmed.
            _ = try purse.holding(money)
            try sale.requireSum(money.minorUnits)
            (amount, lines) = (money.minorUnits, sale.lines)
            subject = sale.rest.map(Subject.rest)
        case .credit(let money, let returned):
            _ = try purse.adding(money)
            try Sale(returned).requireSum(-money.minorUnits)
            (amount, lines) = (money.minorUnits, returned)
            entries = Posting.move(amount, from: .takings, to: account)
        case .add(let money, let tender):
            _ = try purse.adding(money)
            amount = money.minorUnits
            subject = tender == .cash ? nil : .paid(tender)
            entries = Posting.move(amount, from: Account(tender), to: account)
        default: break
        }
    }

    fileprivate mutating func setRefund(
        _ money: Money, of operation: OperationID, from source: Account, to target: Account
    ) {
        amount = money.minorUnits
        reverses = operation
        entries = Posting.move(amount, from: source, to: target)
    }
}

extension Sale {
    fileprivate func requireSum(_ amount: Int64) throws(Refusal) {
        guard lines.count <= [SaleLine].maximumCount else {
            throw Refusal(
                .badAmount,
                "the sale has \(lines.count) lines; at most \([SaleLine].maximumCount) are allowed")
        }
        guard addsUp(to: amount) else {
            throw Refusal(.badAmount, "the lines of the sale do not add up to its amount")
        }
    }
}

extension RequestContext {
    /// The entries that return the part of a sale that was not paid with the card. A refund of only
    /// a part of the payment leaves it alone.
    fileprivate func returningRest(_ amount: Money) -> [Posting] {
        guard let rest = payment?.rest, amount.minorUnits == paid else { return [] }
        return Posting.move(rest.amount, from: .takings, to: Account(rest.tender))
    }

    /// The amount that a refund of a payment or a reversal of a top-up returns.
    fileprivate func refundable(
        _ id: OperationID, _ amount: Money?, on known: KnownCard, _ kind: Operation.Kind
    ) throws(Refusal) -> Money {
        guard let payment else {
            throw Refusal(.notRefundable, "operation \(id) is not in this ledger")
        }
        // An offline payment is refunded like any other payment.
        let matchesKind = payment.kind == kind || payment.kind == .offline && kind == .pay
        guard matchesKind, payment.state == .committed else {
            let what = payment.state == .committed ? payment.kind.rawValue : "not completed"
            throw Refusal(
                .notRefundable,
                "operation \(id) (\(what)) cannot be refunded; only completed payments and top-ups "
                    + "can be")
        }
        // Money is returned only to the account that paid, or to one that received its balance.
        guard paidFrom.contains(where: accounts.contains) else {
            throw payment.uid == known.card.uid
                ? Refusal(
                    .notRefundable,
                    "operation \(id) was made before the card was reissued and may be another "
                        + "person's", .earlierAccount)
                : Refusal(
                    .notRefundable,
                    "operation \(id) was made with card \(payment.uid), not with this card",
                    .otherCard(payment.uid))
        }
        // A payment can be refunded only once, even if the refund was partial.
        if let earlierRefund {
            throw earlierRefund.secondRefundRefusal(of: id, known.balance.currency)
        }
        let paid = Money(minorUnits: self.paid, known.balance.currency)
        guard paid.minorUnits > 0 else {
            throw Refusal(
                .notRefundable,
                "the issuer covered offline payment \(id); nothing was taken from a card, so there "
                    + "is nothing to refund")
        }
        let amount = amount ?? paid
        guard amount.minorUnits <= paid.minorUnits else {
            throw Refusal(
                .notRefundable,
                "the refund of \(amount.shown) is more than the original \(paid.shown)")
        }
        return amount
    }
}

extension Operation {
    /// The refusal of a second refund, where this operation is the first.
    public func secondRefundRefusal(of id: OperationID, _ currency: Currency) -> Refusal {
        Refusal(
            .alreadyRefunded,
            "operation \(id) was already refunded (\(Money(minorUnits: amount, currency).shown), "
                + "by operation \(self.id))")
    }
}

extension LedgerCard {
    /// Throws a refusal if the card is not active.
    func requireActive() throws(Refusal) {
        switch status {
        case .active: return
        case .blocked: throw Refusal(.cardBlocked, "the card is blocked")
        case .closed: throw Refusal(.cardClosed, "the card was closed and its balance was paid out")
        case .replaced: throw LedgerCard.reportedLost
        }
    }

    /// The refusal for a card whose balance was moved to its replacement.
    public static let reportedLost = Refusal(
        .cardBlocked,
        "this card was reported lost and replaced; its balance is on the new card", .replaced)
}

extension LedgerCard {
    fileprivate func protecting(with keyID: UInt8) throws(Refusal) -> CardProtection {
        guard protection == .off else {
            throw Refusal(.wrongState, "card \(uid) is already protected with a write password")
        }
        return .settingPassword(keyID: keyID)
    }

    fileprivate func unprotecting() throws(Refusal) -> CardProtection {
        guard case .on(let keyID) = protection else {
            throw Refusal(.wrongState, "card \(uid) has no write password")
        }
        return .switchingOff(keyID: keyID)
    }
}

extension CardPlan {
    /// The effects of making a card from a tag that this ledger has never seen.
    func effects(
        onNew uid: CardUID, _ context: RequestContext
    ) throws(Refusal) -> Effects {
        let card = LedgerCard(uid: uid, chip: chip, allocated: above)
        return try effects(making: card, context)
    }

    fileprivate func effects(
        onKnown known: KnownCard, _ context: RequestContext
    ) throws(Refusal) -> Effects {
        // These checks come before `mayReissue`: otherwise, the cashier would agree to give up the
        // account, only to be refused afterward.
        guard max(known.card.allocated, above).next() != nil else { throw Book.numbersExhausted }
        if known.card.status == .blocked {
            throw Refusal(
                .cardBlocked,
                "card \(known.card.uid) is blocked and cannot be reissued before it is unblocked")
        }
        guard mayReissue else {
            throw Refusal(.cardKnown, "card \(known.card.uid) is already in this ledger")
        }
        var card = known.card
        // A reissued tag gets a new account, so that refunds of earlier payments do not reach the
        // new cardholder.
        card.account += 1
        card.allocated = max(card.allocated, above)
        var effects = try effects(making: card, context)
        effects.entries +=
            Posting.move(known.balance.minorUnits, from: known.card.purse, to: .reissued)
        return effects
    }

    private func effects(
        making card: LedgerCard, _ context: RequestContext
    ) throws(Refusal) -> Effects {
        var card = card
        card.chip = chip
        card.isGenuineChip = isGenuineChip
        card.status = .active
        card.holder = holder
        card.scratch = scratch
        // The ticket, the game, and the foreign message belong to the tag's earlier account.
        (card.ticket, card.game) = (nil, nil)
        card.face = face
        card.protection = protection
        card.foreignMessage = nil
        var effects = Effects(card: card)
        let source: Account
        var amount = balance
        switch origin {
        case .issue: source = .cash
        case .adopt(let message):
            // Either the code was copied to this tag, or a restore returned it to a replaced card.
            // Either way, it is safe to leave the code with the card that already has it.
            if let owner = context.codeOwner {
                effects.card.scratch = .none
                effects.subject = .codeOwner(owner)
            }
            source = .adopted
            effects.card.foreignMessage = message
        case .replace(let uid):
            guard let lost = context.lost else {
                throw Refusal(.cardUnknown, "card \(uid) is not in this ledger")
            }
            guard uid != card.uid else {
                throw Refusal(.wrongState, "card \(uid) cannot replace itself")
            }
            // A closed or replaced card has no balance left to move.
            guard lost.card.isInUse else {
                throw Refusal(
                    .cardClosed, "lost card \(uid) is already \(lost.card.status.rawValue)")
            }
            source = lost.card.purse
            amount = lost.balance
            effects.card.holder = lost.card.holder
            effects.card.scratch = lost.card.scratch
            (effects.card.ticket, effects.card.game) = (lost.card.ticket, lost.card.game)
            effects.lost = lost.card
        }
        guard (0...Currency.largestBalance).contains(amount.minorUnits) else {
            throw Refusal(.limitExceeded, "\(amount.shown) is more than a card can hold")
        }
        effects.amount = amount.minorUnits
        if case .adopt = origin {
            effects.subject = effects.subject ?? .scratch(effects.card.scratch)
        }
        // A later refund of a payment made with the lost card follows these entries to the new
        // account, so they are booked even for an empty balance.
        effects.entries =
            effects.lost == nil
            ? Posting.move(amount.minorUnits, from: source, to: card.purse)
            : Posting.pair(amount.minorUnits, from: source, to: card.purse)
        return effects
    }
}
