import Cards
import TapcardDomain
import Testing
import TextCodecs

@Suite("Amounts written by other programs")
struct AmountReadingTests {
    static let dollars: [(String, Int64)] = [
        ("0", 0), ("-0", 0), ("-0.00", 0), ("0e9", 0), ("12", 1_200), ("12.5", 1_250),
        ("12.50", 1_250), ("12.500000000000000", 1_250), ("1250e-2", 1_250), ("1.25E1", 1_250),
        ("1.25e+1", 1_250), ("0.0125e3", 1_250), ("999999.99", 99_999_999),
        // Binary fractions that were meant to be amounts.
        ("12.499999999999998", 1_250), ("12.100000000000001", 1_210), ("0.30000000000000004", 30),
        ("0.99999999999", 100), ("12.499999", 1_250), ("12.5000009", 1_250), ("0.0000009", 0),
        ("1e-7", 0), ("1e-30", 0), ("0." + String(repeating: "0", count: 900) + "1", 0),
    ]

    static let others: [(String, String, Int64)] = [
        ("JPY", "1250", 1_250), ("JPY", "1250.0", 1_250), ("JPY", "1249.9999999", 1_250),
        ("KWD", "12.5", 12_500), ("KWD", "12.345", 12_345), ("KWD", "12.34499999", 12_345),
        ("KWD", "99999.999", 99_999_999),
    ]

    private func face(_ amount: String, _ code: String, key: String) throws -> CardFace {
        let json = try JSONValue.parsing(Array("{\"\(key)\":\(amount)}".utf8))
        return try CardFace(json, currency: try #require(Currency(code: code)))
    }

    @Test(
        "An amount is read as an exact decimal, or as one within a millionth of a unit",
        arguments: dollars.map { ("USD", $0.0, $0.1) } + others)
    func takes(code: String, amount: String, units: Int64) throws {
        let currency = try #require(Currency(code: code))
        for key in ["balance", "accountValue"] {
            #expect(try face(amount, code, key: key).balance == Money(minorUnits: units, currency))
        }
    }

    static let bad = [
        "12.345", "12.505", "12.500001", "12.499998", "0.00001", "1e-5", "12.4949", "999999.994",
        "-12.50", "-0.01", "-1e-30", "-1e-7", "1000000", "999999.999999", "1e6", "1e30", "1e31",
        "1e-31", "1e99999999999999999999", "-1e99", "9223372036854775807", "9223372036854775808",
        "92233720368547758.07", String(repeating: "9", count: 900),
        #""12.50""#, #""""#, "true", "null", "[]", "[12.50]", "{}",
    ]

    @Test("An amount that no card can hold is refused", arguments: bad)
    func refuses(amount: String) {
        for key in ["balance", "accountValue"] {
            #expect(throws: CardImageError(.badValue, "")) { try face(amount, "USD", key: key) }
        }
    }

    @Test(
        "An amount too precise or too large for its currency is refused",
        arguments: [("JPY", "12.5"), ("JPY", "0.000001"), ("KWD", "12.3456"), ("KWD", "100000")])
    func refuses(code: String, amount: String) {
        #expect(throws: CardImageError(.badValue, "")) { try face(amount, code, key: "balance") }
    }
}
