/// A card's balance, and the part of it that an open payment holds. Each method returns a changed
/// purse or refuses the change. A purse that exceeds a limit cannot be created.
public struct Purse: Hashable, Sendable {
    /// The money on the card.
    public let balance: Money
    /// The part of the balance that an open payment holds.
    public let held: Money

    /// An empty purse.
    public init(emptyIn currency: Currency) {
        balance = Money(minorUnits: 0, currency)
        held = balance
    }

    /// Creates a purse. Returns `nil` if no card can have these amounts.
    public init?(balance: Money, held: Money) {
        guard balance.currency == held.currency,
            (0...Currency.largestBalance).contains(balance.minorUnits),
            (0...balance.minorUnits).contains(held.minorUnits)
        else { return nil }
        self.balance = balance
        self.held = held
    }

    /// The part of the balance that no open payment holds.
    public var available: Money {
        Money(minorUnits: balance.minorUnits - held.minorUnits, balance.currency)
    }

    /// Returns the purse with this amount held for a payment.
    public func holding(_ amount: Money) throws(Refusal) -> Purse {
        try requireValid(amount)
        // Money that another open payment holds cannot be used again.
        guard amount.minorUnits <= available.minorUnits,
            let next = Purse(
                balance: balance,
                held: Money(
                    minorUnits: held.minorUnits + amount.minorUnits, balance.currency))
        else {
            throw Refusal(
                .insufficientBalance,
                "the balance is too low: \(available.shown) available, \(amount.shown) needed")
        }
        return next
    }

    /// Returns the purse with this amount added to its balance.
    public func adding(_ amount: Money) throws(Refusal) -> Purse {
        try requireValid(amount)
        // The amount is compared with the remaining room, because adding a huge amount to the
        // balance could overflow.
        let room = Currency.largestBalance - balance.minorUnits
        guard amount.minorUnits <= room,
            let next = Purse(
                balance: Money(
                    minorUnits: balance.minorUnits + amount.minorUnits, balance.currency),
                held: held)
        else {
            let maximum = Money(minorUnits: Currency.largestBalance, balance.currency)
            throw Refusal(
                .limitExceeded,
                "\(amount.shown) more would exceed the card's maximum of \(maximum.shown)")
        }
        return next
    }

    private func requireValid(_ amount: Money) throws(Refusal) {
        guard amount.minorUnits > 0 else {
            throw Refusal(
                .badAmount, "the amount \(amount.shown) is not valid; it must be more than 0")
        }
        guard amount.currency == balance.currency else {
            throw Refusal(
                .badAmount,
                "the amount \(amount.shown) is in \(amount.currency.code), but the card's currency "
                    + "is \(balance.currency.code)")
        }
    }
}
