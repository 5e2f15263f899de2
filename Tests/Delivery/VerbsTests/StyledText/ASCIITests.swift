import Testing
import Verbs

@Suite("Text reduced to ASCII")
struct ASCIITests {
    @Test(
        "Symbols become words, accents are dropped, and the rest is a question mark",
        arguments: [
            ("", ""), ("plain\n\t\u{1B}[32m", "plain\n\t\u{1B}[32m"),
            ("Zoë Álvarez", "Zoe Alvarez"),
            ("Zoe\u{308}", "Zoe"), ("Łódź", "Lodz"), ("Straße", "Strasse"), ("€4.50", "EUR 4.50"),
            ("-£1.00", "-GBP 1.00"), ("CN¥3.00, ¥450", "CNY 3.00, JPY 450"),
            ("Kč 20.00", "Kc 20.00"),
            ("✓ Paid", "ok Paid"), ("✗ x…", "!! x..."), ("╭─╮│╰╯╔═╗║╚╝", "+-+|+++=+|++"),
            ("\r⠙ Hold", "\r/ Hold"), ("日本", "??"), ("“a”", "\"a\""), ("\u{FFFD}", "?"),
        ])
    func words(text: String, ascii: String) {
        #expect(text.ascii == ascii)
    }
}
