import Testing
import TextCodecs

@Suite("Base64URL")
struct Base64URLTests {
    /// The vectors of RFC 4648 section 10, without their padding.
    @Test(
        "Base64URL matches the vectors of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, text: String) {
        #expect(Base64URL.encode(plain.utf8) == text)
        #expect(Base64URL.decode(text) == Array(plain.utf8))
    }

    @Test("The whole alphabet is decoded and encoded")
    func alphabet() throws {
        let text = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let bytes = try #require(Base64URL.decode(text))
        #expect(bytes.prefix(3) == [0x00, 0x10, 0x83])
        #expect(bytes.suffix(3) == [0xF3, 0xDF, 0xBF])
        #expect(Base64URL.encode(bytes) == text)
    }

    @Test("Bytes of any length survive a round trip through Base64URL", arguments: 0...48)
    func lengths(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 201) }
        let text = Base64URL.encode(bytes)
        #expect(text.utf8.count == (count * 4 + 2) / 3)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test("A code of 16 bytes takes 22 characters")
    func code() {
        #expect(Base64URL.encode([UInt8](repeating: 0xFF, count: 16)) == "_____________________w")
    }

    @Test(
        "Padding, foreign characters, odd lengths and stray bits are refused",
        arguments: [
            "Zg==", "Zm8=", "Z", "Zm9vY", "Zm9v\n", "Zm 9v", "+/+/", "Zm9é", "Zh", "Zm9", "Zm-_=",
            "__",
        ])
    func refusals(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
