import TapcardDomain
import Testing

@Suite("Printing money and knowing currencies")
struct MoneyPrintingTests {
    @Test(
        "with exactly the currency's digits, and with its sign for people",
        arguments: [
            (0, "USD", "0.00", "$0.00"), (5, "USD", "0.05", "$0.05"), (450, "USD", "4.50", "$4.50"),
            (-450, "USD", "-4.50", "-$4.50"), (-5, "USD", "-0.05", "-$0.05"),
            (99_999_999, "USD", "999999.99", "$999999.99"),
            (Int64.max, "USD", "92233720368547758.07", "$92233720368547758.07"),
            (Int64.min, "USD", "-92233720368547758.08", "-$92233720368547758.08"),
            (0, "JPY", "0", "¥0"), (450, "JPY", "450", "¥450"), (-450, "JPY", "-450", "-¥450"),
            (5, "KWD", "0.005", "KD 0.005"), (-12_500, "KWD", "-12.500", "-KD 12.500"),
            (1_250, "EUR", "12.50", "€12.50"),
        ])
    func prints(units: Int64, code: String, plain: String, shown: String) throws {
        let money = Money(minorUnits: units, try #require(Currency(code: code)))
        #expect(money.description == plain)
        #expect(money.shown == shown)
    }

    @Test("knows each currency by its letters, once")
    func currencies() {
        #expect(Currency.known.allSatisfy { Currency(code: $0.code) == $0 })
        #expect(Set(Currency.known.map(\.code)).count == Currency.known.count)
        #expect(Currency.known.filter { $0.decimals != 2 }.map(\.code) == ["JPY", "KRW", "KWD"])
        #expect(Currency(code: "USD") == .usd)
    }

    @Test("knows no other letters", arguments: ["", "usd", "US", "USDX", "XXX", " USD", "$"])
    func unknown(code: String) {
        #expect(Currency(code: code) == nil)
    }
}
