/// A currency that a ledger can use: its ISO 4217 code, number of decimal places, and symbol.
public struct Currency: Hashable, Sendable {
    /// The ISO 4217 code, such as USD.
    public let code: String
    /// The number of digits after the decimal point.
    public let decimals: Int
    /// The symbol shown before an amount.
    public let sign: String
    /// The approximate number of minor units in one US dollar: a round number close to the exchange
    /// rate in 2026, for amounts that need only the right order of magnitude.
    let dollarsWorth: Int64
    /// Whether amounts in this currency are usually written with a decimal comma.
    public let usesDecimalComma: Bool

    /// The maximum balance of a card, in minor units. The tag has space for eight digits.
    public static let largestBalance: Int64 = 99_999_999

    /// The maximum prize, in minor units, that is paid out directly instead of being added to the
    /// card. Every JSON parser represents a number with fifteen digits exactly.
    public static let largestPayout: Int64 = 999_999_999_999_999

    /// The United States dollar.
    public static let usd = Currency("USD", decimals: 2, "$", dollarsWorth: 100)

    /// The currencies that a ledger can use.
    public static let known: [Currency] = [
        usd,
        Currency("EUR", decimals: 2, "€", dollarsWorth: 100, usesDecimalComma: true),
        Currency("GBP", decimals: 2, "£", dollarsWorth: 100),
        Currency("CHF", decimals: 2, "CHF ", dollarsWorth: 100),
        Currency("CZK", decimals: 2, "Kč ", dollarsWorth: 2000, usesDecimalComma: true),
        Currency("PLN", decimals: 2, "zł ", dollarsWorth: 400, usesDecimalComma: true),
        Currency("HUF", decimals: 2, "Ft ", dollarsWorth: 40_000, usesDecimalComma: true),
        Currency("SEK", decimals: 2, "SEK ", dollarsWorth: 1000, usesDecimalComma: true),
        Currency("NOK", decimals: 2, "NOK ", dollarsWorth: 1000, usesDecimalComma: true),
        Currency("DKK", decimals: 2, "DKK ", dollarsWorth: 1000, usesDecimalComma: true),
        Currency("CAD", decimals: 2, "CA$", dollarsWorth: 100),
        Currency("AUD", decimals: 2, "A$", dollarsWorth: 100),
        Currency("INR", decimals: 2, "₹", dollarsWorth: 10_000),
        Currency("CNY", decimals: 2, "CN¥", dollarsWorth: 1000),
        Currency("JPY", decimals: 0, "¥", dollarsWorth: 100),
        Currency("KRW", decimals: 0, "₩", dollarsWorth: 1000),
        Currency("KWD", decimals: 3, "KD ", dollarsWorth: 200),
    ]

    /// The currency with this code; `nil` if tapcard does not support it.
    public init?(code: String) {
        guard let row = Currency.known.first(where: { $0.code == code }) else { return nil }
        self = row
    }

    private init(
        _ code: String, decimals: Int, _ sign: String, dollarsWorth: Int64,
        usesDecimalComma: Bool = false
    ) {
        (self.code, self.decimals, self.sign) = (code, decimals, sign)
        (self.dollarsWorth, self.usesDecimalComma) = (dollarsWorth, usesDecimalComma)
    }

    /// A round amount worth about this many US dollars, limited to the maximum balance of a card.
    public func roughly(dollars: Int64) -> Money { roughly(cents: dollars * 100) }

    /// A round amount worth about this many US cents, with the same limit.
    public func roughly(cents: Int64) -> Money {
        Money(minorUnits: min(cents * dollarsWorth / 100, Currency.largestBalance), self)
    }

    /// The number of minor units in one whole unit.
    package var minorUnitsInWhole: Int64 {
        (0..<decimals).reduce(1) { product, _ in product * 10 }
    }
}
