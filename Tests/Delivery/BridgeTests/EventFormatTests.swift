import Bridge
import Testing
import Verbs

@Suite("The format of a line for a tag")
struct EventFormatTests {
    @Test("Placeholders are replaced, and other braces are kept")
    func placeholders() throws {
        let event = SampleEvents().arrival(0xA1B2_C3D4)
        let format = try #require(
            EventFormat("{{{uid}} {} {\"a\":1} {reader}|{trust}|{kind}|{text}|{url}|"))
        #expect(format.line(for: event) == "{A1B2C3D4} {} {\"a\":1} sim|uid|Type 2 tag|||")
        let time = try #require(EventFormat("{time} {error}"))
        #expect(time.line(for: event) == "2023-11-14T22:13:21Z not-a-card")
    }

    @Test(
        "A tag's text stays on one line",
        arguments: ["a\nb", "a\r\nb", "a\tb", "a\u{1B}[2Jb", "a\u{2028}b"])
    func hostile(_ text: String) throws {
        let event = SampleEvents().arrival(text: Array(text.utf8))
        #expect(event.text == text)
        let line = try #require(EventFormat("{text}")).line(for: event)
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 }, "\(line)")
    }

    @Test(
        "A placeholder that there is not is refused",
        arguments: ["{UID}", "{balance}", "{uid} {u}", "{{{uids}}"])
    func refused(_ text: String) {
        #expect(EventFormat(text) == nil)
    }
}
