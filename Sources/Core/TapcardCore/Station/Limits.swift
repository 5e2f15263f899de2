import Ledger
import TapcardDomain

/// Refuses amounts that no request at this station may have.
struct Limits {
    let settings: Station.Settings
    let currency: Currency

    /// The ceilings in force.
    var ceilings: Ceilings { settings.ceilings ?? .standard(for: currency) }

    /// Refuses an amount that is not above 0 or is in another currency.
    func requirePositive(_ amount: Money) throws(TapcardError) {
        guard amount.minorUnits > 0 else {
            throw TapcardError(Refusal(.badAmount, "the amount must be above 0"))
        }
        try requireOwnCurrency(amount)
    }

    /// Refuses an amount in another currency.
    func requireOwnCurrency(_ amount: Money) throws(TapcardError) {
        guard amount.currency == currency else {
            throw TapcardError(
                LedgerError(
                    .wrongCurrency,
                    "the amount is in \(amount.currency.code), but the ledger is in "
                        + currency.code))
        }
    }

    /// Refuses an amount above the ceilings. A request that the ledger already knows is not checked
    /// again, because it has passed before.
    func requireUnderCeilings(_ action: CardAction) throws(TapcardError) {
        switch action {
        case .pay(let amount), .ticket(_, let amount):
            try requireUnder("A payment", amount, \.payment)
        case .add(let amount): try requireUnder("A top-up", amount, \.topUp)
        // A refund's amount passed this check when it was paid, and a prize is not typed in.
        case .refund, .reverse, .scratch, .activate, .close, .claim, .game, .reseal, .make,
            .protect, .unprotect:
            break
        }
    }

    /// Refuses a card whose first balance is above the ceilings.
    func requireUnderCeilings(_ origin: CardRequest.Origin) throws(TapcardError) {
        switch origin {
        case .issue(_, let amount, _), .adopt(accepting: .some(let amount)):
            try requireUnder("A top-up", amount, \.topUp)
            try requireUnder("A balance", amount, \.balance)
        case .adopt(accepting: nil), .replace: break
        }
    }

    /// Refuses a change that would raise the card's balance above the ceilings.
    func requireUnderCeilings(
        _ action: CardAction, on known: KnownCard
    ) throws(Interruption) {
        switch action {
        case .add(let amount): try requireUnder(amount, on: known, isTyped: true)
        // A prize is not typed in, so asking for confirmation would not help.
        case .claim(_, let amount): try requireUnder(amount, on: known, isTyped: false)
        case .pay, .refund, .reverse, .scratch, .activate, .close, .ticket, .game, .reseal, .make,
            .protect, .unprotect:
            break
        }
    }

    private func requireUnder(
        _ amount: Money, on known: KnownCard, isTyped: Bool
    ) throws(Interruption) {
        let (sum, overflow) = known.balance.minorUnits.addingReportingOverflow(amount.minorUnits)
        // Above a card's own limit, the purse's rules refuse with a better message.
        guard !overflow, sum <= Currency.largestBalance else { return }
        try translating(
            requireUnder(
                "A balance", Money(minorUnits: sum, currency), \.balance, isTyped: isTyped)
        ) { (error: TapcardError) in Interruption.refused(error.naming(known.card.uid)) }
    }

    private func requireUnder(
        _ what: String, _ amount: Money, _ ceiling: KeyPath<Ceilings.Amounts, Money>,
        isTyped: Bool = true
    ) throws(TapcardError) {
        try requireOwnCurrency(amount)
        let limit = ceilings.absolute[keyPath: ceiling]
        guard amount.minorUnits <= limit.minorUnits else {
            throw TapcardError(
                .refusal(.limitExceeded),
                "\(what) of \(amount.shown) is over this station's limit of \(limit.shown).",
                meaning: TapcardError.unchanged,
                next: [.request(.checkAmount), .request(.showLimits)])
        }
        let quiet = ceilings.unconfirmed[keyPath: ceiling]
        guard !isTyped || settings.isConfirmed || amount.minorUnits <= quiet.minorUnits else {
            throw TapcardError(
                .confirmationNeeded,
                "\(what) of \(amount.shown) is over \(quiet.shown) and needs confirmation.",
                meaning: TapcardError.unchanged,
                next: [.request(.checkAmount), .request(.confirm)])
        }
    }
}
