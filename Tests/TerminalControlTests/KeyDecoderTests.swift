import TerminalControl
import Testing

@Suite("Keys out of bytes")
struct KeyDecoderTests {
    private func keys(_ text: String) -> [TerminalKey] {
        var decoder = KeyDecoder()
        let keys = decoder.take(text.utf8)
        return keys + decoder.finish()
    }

    @Test(
        "what terminals send",
        arguments: [
            ("a", TerminalKey.character("a")), ("1", .character("1")), (" ", .character(" ")),
            ("ß", .character("ß")), ("€", .character("€")), ("🂡", .character("🂡")),
            ("\r", .enter), ("\n", .enter), ("\t", .tab), ("\u{7F}", .backspace),
            ("\u{08}", .backspace), ("\u{1B}", .escape), ("\u{01}", .control("a")),
            ("\u{15}", .control("u")), ("\u{1B}[A", .up), ("\u{1B}[B", .down),
            ("\u{1B}[C", .right), ("\u{1B}[D", .left), ("\u{1B}OA", .up), ("\u{1B}OD", .left),
            ("\u{1B}[1;5C", .right), ("\u{1B}[Z", .backTab), ("\u{1B}[H", .home),
            ("\u{1B}[F", .end), ("\u{1B}OH", .home), ("\u{1B}[1~", .home), ("\u{1B}[7~", .home),
            ("\u{1B}[4~", .end), ("\u{1B}[8~", .end), ("\u{1B}[3~", .delete),
            ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown), ("\u{1B}[6;2~", .pageDown),
            ("\u{1B}OM", .enter),
        ])
    func known(text: String, key: TerminalKey) {
        #expect(keys(text) == [key])
        // In portions of a byte it is the same.
        var decoder = KeyDecoder()
        var found: [TerminalKey] = []
        for byte in text.utf8 { found += decoder.take([byte]) }
        #expect(found + decoder.finish() == [key])
    }

    @Test(
        "what means nothing is passed over",
        arguments: [
            "\u{1B}[200~", "\u{1B}[M", "\u{1B}[?1;2c", "\u{1B}[15~", "\u{1B}OP", "\u{00}",
            "\u{1B}[", "\u{1B}[1;", "\u{1B}O", "\u{1B}[[", "\u{1B}[[A", "\u{1B}[[E",
            "\u{1B}]11;rgb:1234/5678/9abc\u{07}", "\u{1B}]11;rgb:1234\u{1B}\\",
            "\u{1B}P1+r436f\u{1B}\\", "\u{1B}_G;OK\u{1B}\\", "\u{1B}X123\u{07}",
            "\u{1B}^123\u{07}", "\u{1B}]11;123", "\u{1B}]11;123\u{1B}",
        ])
    func unknown(text: String) {
        #expect(keys(text) == [])
        // It does not affect the key after it either, in whatever portions it comes.
        var decoder = KeyDecoder()
        var found: [TerminalKey] = []
        for byte in text.utf8 { found += decoder.take([byte]) }
        #expect(found + decoder.finish() + decoder.take([0x71]) == [.character("q")])
    }

    @Test("an answer of the terminal's that is broken off swallows no key for long")
    func brokenAnswer() {
        #expect(keys("\u{1B}]11;123\r") == [.enter])
        #expect(keys("\u{1B}]11;123\u{1B}[A") == [.up])
        #expect(keys("\u{1B}]11;12\u{1B}\\3") == [.character("3")])
        #expect(keys("\u{1B}]") == [.escape, .character("]")])
        #expect(keys("\u{1B}P") == [.escape, .character("P")])
        var decoder = KeyDecoder()
        #expect(decoder.take("\u{1B}]\(String(repeating: "1", count: 4_094))".utf8) == [])
        #expect(!decoder.isWaiting)
        #expect(decoder.take([0x71]) == [.character("q")])
    }

    @Test("escape and another key are two keys")
    func escapeBefore() {
        #expect(keys("\u{1B}q") == [.escape, .character("q")])
        #expect(keys("\u{1B}\u{1B}[A") == [.escape, .up])
        #expect(keys("\u{1B}\u{1B}") == [.escape, .escape])
    }

    @Test("only what may still become another key waits")
    func waiting() {
        var decoder = KeyDecoder()
        #expect(decoder.take([0x1B]) == [] && decoder.isWaiting)
        #expect(decoder.finish() == [.escape] && !decoder.isWaiting)
        #expect(decoder.take([0x1B, 0x5B]) == [] && decoder.isWaiting)
        #expect(decoder.finish() == [])
        #expect(decoder.take([0x61]) == [.character("a")] && !decoder.isWaiting)
    }

    @Test("a broken character does not swallow the next key")
    func brokenCharacter() {
        var decoder = KeyDecoder()
        #expect(decoder.take([0xE2, 0x82, 0x71]) == [.character("q")])
        #expect(decoder.take([0xC3, 0x0D]) == [.enter])
        #expect(decoder.take([0xED, 0xA0, 0x80, 0x71]) == [.character("q")])
        #expect(decoder.take([0x80, 0xFF, 0xC0, 0x71]) == [.character("q")])
    }

    @Test("a sequence without an end ends all the same")
    func endlessSequence() {
        var decoder = KeyDecoder()
        let endless = [0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 5_000)
        let keys = decoder.take(endless)
        #expect(keys.allSatisfy { $0 == .character("1") })
        #expect(decoder.take([0x71]) == [.character("q")])
    }

    @Test("no bytes bring it out of step for long")
    func anything() {
        var seed: UInt64 = 11
        for _ in 0..<300 {
            var decoder = KeyDecoder()
            var bytes: [UInt8] = []
            for _ in 0..<40 {
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(UInt8(truncatingIfNeeded: seed >> 33))
            }
            _ = decoder.take(bytes)
            _ = decoder.finish()
            #expect(decoder.take([0x71]) == [.character("q")])
        }
    }
}
