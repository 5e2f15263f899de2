public import TapcardDomain

/// The limits on how much money may move at once and on a card's balance. An amount above the lower
/// limit needs confirmation; an amount above the upper limit is refused. The limits catch a
/// forgotten decimal point, which makes an amount a hundred times too large.
public struct Ceilings: Sendable, Hashable {
    /// Three amounts in one currency.
    public struct Amounts: Sendable, Hashable {
        /// The largest payment, including one for a ticket.
        public var payment: Money
        /// The largest top-up, including the first balance of a new card.
        public var topUp: Money
        /// The largest balance allowed after a top-up or a prize.
        public var balance: Money

        /// Creates three limits.
        public init(payment: Money, topUp: Money, balance: Money) {
            (self.payment, self.topUp, self.balance) = (payment, topUp, balance)
        }
    }

    /// The largest amounts allowed without confirmation.
    public var unconfirmed: Amounts
    /// The largest amounts allowed with confirmation.
    public var absolute: Amounts
    /// The most that a sale may add to a card because of returned deposits.
    public var credit: Money

    /// Creates ceilings. Without a limit for credits, it is about 20 dollars.
    public init(unconfirmed: Amounts, absolute: Amounts, credit: Money? = nil) {
        (self.unconfirmed, self.absolute) = (unconfirmed, absolute)
        self.credit = credit ?? absolute.payment.currency.roughly(dollars: 20)
    }

    /// The default ceilings: about 100, 200, and 500 dollars without confirmation, and a hundred
    /// times as much with it. A typical price is below the lower limit, but above it if the decimal
    /// point is missing.
    public static func standard(for currency: Currency) -> Ceilings {
        func amounts(_ factor: Int64) -> Amounts {
            Amounts(
                payment: currency.roughly(dollars: 100 * factor),
                topUp: currency.roughly(dollars: 200 * factor),
                balance: currency.roughly(dollars: 500 * factor))
        }
        return Ceilings(unconfirmed: amounts(1), absolute: amounts(100))
    }

    /// No ceilings except those of the card itself.
    public static func unlimited(in currency: Currency) -> Ceilings {
        let maximum = Money(minorUnits: Currency.largestBalance, currency)
        let amounts = Amounts(payment: maximum, topUp: maximum, balance: maximum)
        return Ceilings(unconfirmed: amounts, absolute: amounts, credit: maximum)
    }
}
