import Testing
import TextCodecs

@Suite("Base64")
struct Base64Tests {
    @Test(
        "The examples of RFC 4648, section 10, in both directions",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("\u{3FF}~", "z79+"),
            ("\u{3FF}\u{3FF}", "z7/Pvw=="),
        ])
    func examples(_ bytes: String, _ text: String) {
        #expect(Base64.encode(Array(bytes.utf8)) == text)
        #expect(Base64.decode(text) == Array(bytes.utf8))
        #expect(Base64.decode(text.prefix { $0 != "=" }) == Array(bytes.utf8))
    }

    @Test(
        "Other characters, padding, and lengths are refused",
        arguments: [
            "Z", "Zg=", "Zg===", "Zg==Zg==", "=", "====", "Zm9v=", "Zm9v====", "Zh==", "z79-",
            "z7_P", "Zm9 v", "Zm9\n", "/etc/passwd", "\u{FC}AAA",
        ])
    func refused(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
