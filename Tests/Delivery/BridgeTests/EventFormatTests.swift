import Bridge
import Testing
import Verbs

@Suite("The format of a line for a tag")
struct EventFormatTests {
    @Test("Each placeholder is replaced, and doubled braces stand for one")
    func placeholders() throws {
        let event = SampleEvents().arrival(0xA1B2_C3D4)
        let format = try #require(EventFormat("{{{uid}}} {reader}|{trust}|{kind}|{text}|{url}|"))
        #expect(format.line(for: event) == "{A1B2C3D4} sim|uid|Type 2 tag|||")
        let time = try #require(EventFormat("{time} {error}"))
        #expect(time.line(for: event) == "2023-11-14T22:13:21Z not-a-card")
    }

    @Test(
        "A brace without a known placeholder is refused",
        arguments: ["{", "}", "{uid", "uid}", "{UID}", "{balance}", "{}", "{uid} {"])
    func refused(_ text: String) {
        #expect(EventFormat(text) == nil)
    }
}
