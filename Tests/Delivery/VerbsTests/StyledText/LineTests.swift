import Testing
import Verbs

@Suite("Styled lines")
struct LineTests {
    @Test(
        "The width of a text is the number of cells it takes on a terminal",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("한글", 4), ("ｱ", 1),
            ("Ａ", 2), ("🎲", 2), ("a日b", 4),
        ])
    func cells(text: String, count: Int) {
        #expect(text.cellCount == count)
        #expect(Line(text).width == count)
        #expect(text.padded(8).cellCount == 8)
        #expect(Line(text).padded(8).rendered(false) == text.padded(8))
        #expect(Line(text).padded(8, atStart: true).text == text.padded(8, atStart: true))
        #expect(text.padded(0) == text)
    }

    @Test("Characters that terminals draw differently are replaced")
    func fixedWidth() {
        for (text, replaced) in [
            ("plain", "plain"), ("日本語 é", "日本語 é"), ("a\u{1B}[31mb", "a\u{FFFD}[31mb"),
            ("\u{202E}x", "\u{FFFD}x"), ("a\nb\tc", "a\u{FFFD}b\u{FFFD}c"), ("👨‍👩‍👧", "\u{FFFD}"),
            ("☺\u{FE0F}", "\u{FFFD}"), ("\u{200B}", "\u{FFFD}"),
        ] {
            #expect(text.fixedWidth == replaced)
        }
    }

    @Test("Styles are drawn only on request, and escape sequences in the text are replaced")
    func rendering() {
        let line = Line("ball ") + Line("7", .gold) + Line("\u{1B}[5m", .bad) + Line("!", .plain)
        #expect(line.rendered(false) == "ball 7\u{FFFD}[5m!")
        #expect(
            line.rendered(true)
                == "ball \u{1B}[33m7\u{1B}[0m\u{1B}[31m\u{FFFD}[5m\u{1B}[0m!")
    }

    @Test("Trimming removes spaces from the end across pieces")
    func trimmed() {
        let line = Line("a b ", .good) + Line("  ", .bad) + Line(" ")
        #expect(line.trimmed == Line("a b", .good))
        #expect(line.trimmed.width == 3)
        #expect(Line("  ").trimmed == Line())
    }

    @Test("Pieces flow onto as many lines as the width requires")
    func flow() {
        let pieces: [Line] = ["日本", "語", "abc"]
        #expect(Line.flow(pieces, width: nil).map(\.text) == ["日本  語  abc"])
        #expect(Line.flow(pieces, width: 8).map(\.text) == ["日本  語", "  abc"])
        #expect(Line.flow(pieces, width: 7).map(\.text) == ["日本", "  語", "  abc"])
        #expect(Line.flow([], width: 7).isEmpty)
    }
}
