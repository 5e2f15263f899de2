import Ledger
import TapcardDomain

/// Checks amounts against this station's limits, and refuses those that exceed them.
struct Limits {
    let settings: Station.Settings
    let currency: Currency

    /// The ceilings that apply at this station.
    var ceilings: Ceilings { settings.ceilings ?? .standard(for: currency) }

    /// Refuses an amount of 0 or less, or in another currency.
    func requirePositive(_ amount: Money) throws(TapcardError) {
        guard amount.minorUnits > 0 else {
            throw TapcardError(Refusal(.badAmount, "the amount must be more than 0"))
        }
        try requireOwnCurrency(amount)
    }

    /// Refuses an amount in another currency.
    func requireOwnCurrency(_ amount: Money) throws(TapcardError) {
        guard amount.currency == currency else {
            throw TapcardError(
                LedgerError(
                    .wrongCurrency,
                    "the amount is in \(amount.currency.code), but the ledger uses "
                        + currency.code))
        }
    }

    /// Refuses an amount above the ceilings. Only new requests are checked, because a recorded
    /// request passed this check when it began.
    func requireWithinCeilings(_ action: CardAction) throws(TapcardError) {
        switch action {
        case .pay(let amount, let sale):
            let total = amount.minorUnits + (sale.rest?.amount ?? 0)
            try requireAtMost("A payment", Money(minorUnits: total, amount.currency), \.payment)
            if sale.rest?.tender == .cash { try requireCoins(for: sale.rest?.amount ?? 0) }
        case .ticket(_, let amount): try requireAtMost("A payment", amount, \.payment)
        case .add(let amount, let tender):
            try requireAtMost("A top-up", amount, \.topUp)
            if tender == .cash { try requireCoins(for: amount.minorUnits) }
        case .credit(let amount, _):
            try requireOwnCurrency(amount)
            guard amount.minorUnits <= ceilings.credit.minorUnits else {
                throw overLimit("A credit for returned deposits", amount, ceilings.credit)
            }
        // A refund's amount passed this check when it was paid, and nobody types in a prize amount.
        case .refund, .reverse, .scratch, .activate, .close, .claim, .game, .reseal, .make,
            .protect, .unprotect:
            break
        }
    }

    /// Refuses a card whose first balance is above the ceilings.
    func requireWithinCeilings(_ origin: CardRequest.Origin) throws(TapcardError) {
        switch origin {
        case .issue(_, let amount, _), .adopt(accepting: .some(let amount)):
            try requireAtMost("A top-up", amount, \.topUp)
            try requireAtMost("A balance", amount, \.balance)
            if case .issue = origin { try requireCoins(for: amount.minorUnits) }
        case .adopt(accepting: nil), .replace: break
        }
    }

    /// Refuses a change that would raise the card's balance above the ceilings.
    func requireWithinCeilings(
        _ action: CardAction, on known: KnownCard
    ) throws(Interruption) {
        switch action {
        case .add(let amount, _): try requireAtMost(amount, on: known, isTyped: true)
        // Nobody types in a prize amount, so a confirmation would not catch a typing error.
        case .claim(_, let amount), .credit(let amount, _):
            try requireAtMost(amount, on: known, isTyped: false)
        case .pay, .refund, .reverse, .scratch, .activate, .close, .ticket, .game, .reseal, .make,
            .protect, .unprotect:
            break
        }
    }

    /// Refuses an amount that nobody can pay in cash, such as 1.23 francs. The drawer would not add
    /// up.
    private func requireCoins(for amount: Int64) throws(TapcardError) {
        guard amount % currency.cashStep != 0 else { return }
        throw TapcardError(
            Refusal(
                .badAmount,
                "\(Money(minorUnits: amount, currency).shown) cannot be paid in cash, because the "
                    + "smallest coin is \(Money(minorUnits: currency.cashStep, currency).shown)"))
    }

    private func requireAtMost(
        _ amount: Money, on known: KnownCard, isTyped: Bool
    ) throws(Interruption) {
        let (sum, overflow) = known.balance.minorUnits.addingReportingOverflow(amount.minorUnits)
        // If no card can hold the sum, the purse's rules refuse it with a better message.
        guard !overflow, sum <= Currency.largestBalance else { return }
        try translating(
            requireAtMost(
                "A balance", Money(minorUnits: sum, currency), \.balance, isTyped: isTyped)
        ) { (error: TapcardError) in Interruption.refused(error.naming(known.card.uid)) }
    }

    private func requireAtMost(
        _ what: String, _ amount: Money, _ ceiling: KeyPath<Ceilings.Amounts, Money>,
        isTyped: Bool = true
    ) throws(TapcardError) {
        try requireOwnCurrency(amount)
        let limit = ceilings.absolute[keyPath: ceiling]
        guard amount.minorUnits <= limit.minorUnits else {
            throw overLimit(what, amount, limit)
        }
        let unconfirmed = ceilings.unconfirmed[keyPath: ceiling]
        guard !isTyped || settings.isConfirmed || amount.minorUnits <= unconfirmed.minorUnits
        else {
            throw TapcardError(
                .confirmationNeeded,
                "\(what) of \(amount.shown) is over \(unconfirmed.shown) and needs confirmation.",
                meaning: TapcardError.unchanged,
                next: [.request(.checkAmount), .request(.confirm)])
        }
    }

    private func overLimit(_ what: String, _ amount: Money, _ limit: Money) -> TapcardError {
        TapcardError(
            .refusal(.limitExceeded),
            "\(what) of \(amount.shown) is over this machine's limit of \(limit.shown).",
            meaning: TapcardError.unchanged,
            next: [.request(.checkAmount), .request(.showLimits)])
    }
}
