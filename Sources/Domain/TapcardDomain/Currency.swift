/// A currency that a ledger is kept in: its ISO 4217 letters, decimals and sign.
public struct Currency: Hashable, Sendable {
    public let code: String
    /// How many digits follow the point.
    public let decimals: Int
    /// What people see before an amount.
    public let sign: String

    /// The most that a card can hold, in minor units: eight digits fill the room on the tag.
    public static let largestBalance: Int64 = 99_999_999

    /// The most that a prize can be that is paid past the card, in minor units: fifteen digits are
    /// exact in every program that reads them.
    public static let largestPayout: Int64 = 999_999_999_999_999

    public static let usd = Currency(code: "USD", decimals: 2, sign: "$")

    /// The currencies that a ledger can be kept in.
    public static let known: [Currency] = [
        usd,
        Currency(code: "EUR", decimals: 2, sign: "€"),
        Currency(code: "GBP", decimals: 2, sign: "£"),
        Currency(code: "CHF", decimals: 2, sign: "CHF "),
        Currency(code: "CZK", decimals: 2, sign: "Kč "),
        Currency(code: "PLN", decimals: 2, sign: "zł "),
        Currency(code: "HUF", decimals: 2, sign: "Ft "),
        Currency(code: "SEK", decimals: 2, sign: "SEK "),
        Currency(code: "NOK", decimals: 2, sign: "NOK "),
        Currency(code: "DKK", decimals: 2, sign: "DKK "),
        Currency(code: "CAD", decimals: 2, sign: "CA$"),
        Currency(code: "AUD", decimals: 2, sign: "A$"),
        Currency(code: "INR", decimals: 2, sign: "₹"),
        Currency(code: "CNY", decimals: 2, sign: "CN¥"),
        Currency(code: "JPY", decimals: 0, sign: "¥"),
        Currency(code: "KRW", decimals: 0, sign: "₩"),
        Currency(code: "KWD", decimals: 3, sign: "KD "),
    ]

    public init?(code: String) {
        guard let row = Currency.known.first(where: { $0.code == code }) else { return nil }
        self = row
    }

    private init(code: String, decimals: Int, sign: String) {
        self.code = code
        self.decimals = decimals
        self.sign = sign
    }

    /// How many minor units make one whole unit.
    var minorUnitsInWhole: Int64 {
        (0..<decimals).reduce(1) { product, _ in product * 10 }
    }
}
