import Foundation
import TapcardDomain
import TestSupport
import Testing

@Suite("Reading typed amounts")
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
        "An amount has digits and, after a point, no more decimals than its currency",
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

    @Test("A decimal comma is read in currencies whose users write one", arguments: commas)
    func comma(_ amount: Case) throws {
        let currency = try #require(Currency(code: amount.code))
        #expect(try Money(parsing: amount.text, currency).minorUnits == amount.units)
    }

    @Test("A decimal comma is read if the language has one, and never as a thousands separator")
    func commaOfTheLanguage() throws {
        #expect(try Money(parsing: "4,50", .usd, acceptingComma: true).minorUnits == 450)
        #expect(try Money(parsing: "4,5", .usd, acceptingComma: true).minorUnits == 450)
        #expect(throws: Refusal(.badAmount, "")) { try Money(parsing: "4,5", .usd) }
        let euro = try #require(Currency(code: "EUR"))
        for text in ["1,000", "1.000,00", "1,000.00", "1,2,3", "4,", ","] {
            #expect(throws: Refusal(.badAmount, ""), "\(text)") {
                try Money(parsing: text, euro)
            }
        }
    }

    /// A browser test checks the page against this file, too.
    @Test("Points and commas are read as the till page reads them")
    func asThePage() throws {
        let file = URL(filePath: Repository.path("fixtures/amounts.txt"))
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        #expect(lines.count > 30)
        for line in lines {
            let parts = line.split(separator: " ").map(String.init)
            let currency = try #require(Currency(code: parts[0]))
            let money = try? Money(parsing: parts[1], currency)
            #expect(money?.minorUnits == Int64(parts[2]), "\(line)")
        }
    }

    @Test("A printed amount is read back", arguments: Currency.known)
    func readsBack(_ currency: Currency) throws {
        for units: Int64 in [0, 1, 9, 10, 99, 100, 1_250, 99_999_999, 100_000_000, .max] {
            let money = Money(minorUnits: units, currency)
            #expect(try Money(parsing: money.description, currency) == money)
        }
    }
}

@Suite("Showing money and finding currencies")
struct MoneyPrintingTests {
    @Test(
        "Money is printed with its currency's decimals, and for people with its sign",
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

    @Test("Each currency is known by one code")
    func currencies() {
        #expect(Currency.known.allSatisfy { Currency(code: $0.code) == $0 })
        #expect(Set(Currency.known.map(\.code)).count == Currency.known.count)
        #expect(Currency.known.filter { $0.decimals != 2 }.map(\.code) == ["JPY", "KRW", "KWD"])
        #expect(Currency(code: "USD") == .usd)
    }

    @Test(
        "An unknown currency code is refused",
        arguments: ["", "usd", "US", "USDX", "XXX", " USD", "$"])
    func unknown(code: String) {
        #expect(Currency(code: code) == nil)
    }
}

@Suite("Refusing malformed amounts")
struct MoneyRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let code: String
        let words: String

        init(_ text: String, _ words: String, in code: String = "USD") {
            self.text = text
            self.code = code
            self.words = words
        }

        var testDescription: String { "\(code) \(text.debugDescription)" }
    }

    static let negative = ["-4.50", "-0", "-", "--4", "-x", "-1e3"].map {
        Case($0, "is negative; enter it without a minus sign")
    }

    static let commas = [
        Case("4,5", "enter 4.5"), Case("4,500", "enter 4.500", in: "KWD"),
        // These may part thousands, or the advice would be refused in its turn.
        Case("1,000", "enter an amount such as 4.50"),
        Case("1,000", "enter an amount such as 450", in: "JPY"),
        Case("4,5000", "enter an amount such as 4.500", in: "KWD"),
        Case("1,000.00", "enter 1000.00: no"),
        Case("1.000,50", "enter 1000.50: no thousands separator or currency sign"),
        Case("€4.50", "enter 4.50: no", in: "EUR"), Case("EUR 4,50", "enter 4.50: no", in: "EUR"),
        Case("€1,000", "enter an amount such as 4.50", in: "EUR"), Case("$4.50", "enter 4.50: no"),
        Case("4.50$", "enter 4.50: no"), Case("4.50 USD", "enter 4.50: no"),
        Case("1,2,3", "enter an amount such as 4.50"), Case(",5", "enter an amount such as 4.50"),
        Case("4,", "enter an amount such as 4.50"), Case(",", "enter an amount such as 4.50"),
        Case("4,５０", "enter an amount such as 4.50"),
    ]

    static let precise = [
        Case("4.500", "has too many decimal places; USD has 2"),
        Case("0.001", "has too many decimal places; USD has 2"),
        Case("4.5", "has too many decimal places; JPY has none", in: "JPY"),
        Case("4.0", "has too many decimal places; JPY has none", in: "JPY"),
        Case("4,50", "has too many decimal places; JPY has none", in: "JPY"),
        Case("4.5000", "has too many decimal places; KWD has 3", in: "KWD"),
    ]

    static let large = [
        Case("92233720368547758.08", "too large"), Case("92233720368547759", "too large"),
        Case("9223372036854775808", "too large", in: "JPY"),
        Case("9223372036854775.808", "too large", in: "KWD"),
        Case(String(repeating: "9", count: 10_000), "too large"),
    ]

    static let shapeless = [
        "", ".", "5.", "4.5.0", "4..5", "..", "NaN", "nan", "inf", "Infinity", "1e3", "1E3",
        "0x10", "+4.50", "4_000", "four",
        " 4.50", "4.50 ", "4 50", "4. 50", "\u{A0}4", "\t4.50", "4.50\n", "4\r\n", "4.50\0",
        "\u{7F}",
        "４.５０", "４", "4.5０", "٤٫٥", "४", "4٫50", "4·50", "½", "−4.50", "4\u{301}", "\u{202E}05.4",
    ].map { Case($0, "is not an amount; enter an amount such as 4.50") }

    @Test(
        "The refusal of an amount says what is wrong",
        arguments: negative + commas + precise + large + shapeless)
    func refuses(_ amount: Case) throws {
        let currency = try #require(Currency(code: amount.code))
        let refusal = try #require(
            #expect(throws: Refusal(.badAmount, "")) {
                try Money(parsing: amount.text, currency)
            })
        #expect(refusal.detail.contains(amount.words), "\(refusal)")
    }

    @Test("A refusal shows hostile text without control characters and shortened")
    func showsSafely() {
        let hostile =
            "\u{1B}[2J\u{202E}05.4\u{2028}\u{2066}\u{85}\n" + String(repeating: "9", count: 99)
        let refusal = #expect(throws: Refusal(.badAmount, "")) {
            try Money(parsing: hostile, .usd)
        }
        let marks = "\u{FFFD}[2J\u{FFFD}05.4\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"
        let nines = String(repeating: "9", count: 40 - marks.unicodeScalars.count)
        #expect(refusal?.detail.hasPrefix("\"\(marks)\(nines)…\" is not an amount") == true)
    }
}
