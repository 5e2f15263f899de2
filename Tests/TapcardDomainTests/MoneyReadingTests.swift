import TapcardDomain
import Testing

@Suite("Reading an amount that a person typed")
struct MoneyReadingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let code: String
        let units: Int64

        init(_ text: String, _ code: String, _ units: Int64) {
            self.text = text
            self.code = code
            self.units = units
        }

        var testDescription: String { "\(code) \(text)" }
    }

    static let dollars = [
        Case("0", "USD", 0), Case("0.00", "USD", 0), Case("4", "USD", 400),
        Case("4.5", "USD", 450), Case("4.50", "USD", 450), Case("12.05", "USD", 1_205),
        Case("007", "USD", 700), Case("999999.99", "USD", Currency.largestBalance),
        Case(String(repeating: "0", count: 1_000) + "4.50", "USD", 450),
        Case("92233720368547758.07", "USD", .max),
    ]

    static let others = [
        Case("0", "JPY", 0), Case("450", "JPY", 450), Case("9223372036854775807", "JPY", .max),
        Case("4", "KWD", 4_000), Case("4.5", "KWD", 4_500), Case("4.500", "KWD", 4_500),
        Case("0.001", "KWD", 1), Case("9223372036854775.807", "KWD", .max),
    ]

    @Test(
        "takes digits and, after a point, no more than the currency has",
        arguments: dollars + others)
    func takes(_ amount: Case) throws {
        let currency = try #require(Currency(code: amount.code))
        let money = try Money(parsing: amount.text, currency)
        #expect(money == Money(minorUnits: amount.units, currency))
    }

    static let commas = [
        Case("4,50", "EUR", 450), Case("4,5", "CZK", 450), Case("0,05", "SEK", 5),
        Case("4.50", "EUR", 450), Case("4", "EUR", 400),
    ]

    @Test("takes a comma where people who pay in the currency write one", arguments: commas)
    func comma(_ amount: Case) throws {
        let currency = try #require(Currency(code: amount.code))
        #expect(try Money(parsing: amount.text, currency).minorUnits == amount.units)
    }

    @Test("takes a comma where the language has one, and refuses it where neither does")
    func commaOfTheLanguage() throws {
        #expect(try Money(parsing: "4,50", .usd, acceptingComma: true).minorUnits == 450)
        #expect(throws: Refusal(.badAmount, "")) { try Money(parsing: "4,50", .usd) }
        let euro = try #require(Currency(code: "EUR"))
        for text in ["1,000", "1.000,00", "1,000.00", "1,2,3", ",50", "4,", ","] {
            #expect(throws: Refusal(.badAmount, ""), "\(text)") {
                try Money(parsing: text, euro)
            }
        }
    }

    @Test("reads back what it prints", arguments: Currency.known)
    func readsBack(_ currency: Currency) throws {
        for units: Int64 in [0, 1, 9, 10, 99, 100, 1_250, 99_999_999, 100_000_000, .max] {
            let money = Money(minorUnits: units, currency)
            #expect(try Money(parsing: money.description, currency) == money)
        }
    }
}
