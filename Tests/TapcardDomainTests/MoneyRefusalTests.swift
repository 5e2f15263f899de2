import TapcardDomain
import Testing

@Suite("Refusing what is no amount")
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
        Case($0, "is negative; write it without the sign")
    }

    static let commas = [
        Case("4,50", "write 4.50"), Case("4,5", "write 4.5"), Case("1234,00", "write 1234.00"),
        Case("4,500", "write 4.500", in: "KWD"),
        // These may part thousands, or the advice would be refused in its turn.
        Case("1,000", "write it like 4.50"), Case("1,000", "write it like 450", in: "JPY"),
        Case("4,5000", "write it like 4.500", in: "KWD"), Case("1,000.00", "write 1000.00: no"),
        Case("1.000,50", "write 1000.50: no thousands separator or currency sign"),
        Case("€4.50", "write 4.50: no", in: "EUR"), Case("EUR 4,50", "write 4.50: no", in: "EUR"),
        Case("€1,000", "write it like 4.50", in: "EUR"), Case("$4.50", "write 4.50: no"),
        Case("4.50$", "write 4.50: no"), Case("4.50 USD", "write 4.50: no"),
        Case("1,2,3", "write it like 4.50"), Case(",50", "write it like 4.50"),
        Case("4,", "write it like 4.50"), Case(",", "write it like 4.50"),
        Case("4,５０", "write it like 4.50"),
    ]

    static let precise = [
        Case("4.500", "is too precise; USD has 2 decimals"),
        Case("0.001", "is too precise; USD has 2 decimals"),
        Case("4.5", "is too precise; JPY has no decimals", in: "JPY"),
        Case("4.0", "is too precise; JPY has no decimals", in: "JPY"),
        Case("4.5000", "is too precise; KWD has 3 decimals", in: "KWD"),
    ]

    static let large = [
        Case("92233720368547758.08", "too large"), Case("92233720368547759", "too large"),
        Case("9223372036854775808", "too large", in: "JPY"),
        Case("9223372036854775.808", "too large", in: "KWD"),
        Case(String(repeating: "9", count: 10_000), "too large"),
    ]

    static let shapeless = [
        "", ".", "5.", ".5", "4.5.0", "4..5", "..", "NaN", "nan", "inf", "Infinity", "1e3", "1E3",
        "0x10", "+4.50", "4_000", "four",
        " 4.50", "4.50 ", "4 50", "4. 50", "\u{A0}4", "\t4.50", "4.50\n", "4\r\n", "4.50\0",
        "\u{7F}",
        "４.５０", "４", "4.5０", "٤٫٥", "४", "4٫50", "4·50", "½", "−4.50", "4\u{301}", "\u{202E}05.4",
    ].map { Case($0, "is not an amount; write it like 4.50") }

    @Test("says what is wrong", arguments: negative + commas + precise + large + shapeless)
    func refuses(_ amount: Case) throws {
        let currency = try #require(Currency(code: amount.code))
        let refusal = try #require(
            #expect(throws: Refusal(.badAmount, "")) {
                try Money(parsing: amount.text, currency)
            })
        #expect(refusal.detail.contains(amount.words), "\(refusal)")
    }

    @Test("shows the text without what could mislead, and not all of a long one")
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
