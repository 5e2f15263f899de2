import Bridge
import Testing
import Verbs

@Suite("The format of a line for a tag")
struct EventFormatTests {
    @Test("Each placeholder is replaced, and other braces stand for themselves")
    func placeholders() throws {
        let event = SampleEvents().arrival(0xA1B2_C3D4)
        let format = try #require(
            EventFormat("{{uid}} {} {\"a\":1} {reader}|{trust}|{kind}|{text}|{url}|"))
        #expect(format.line(for: event) == "{A1B2C3D4} {} {\"a\":1} sim|uid|Type 2 tag|||")
        let time = try #require(EventFormat("{time} {error}"))
        #expect(time.line(for: event) == "2023-11-14T22:13:21Z not-a-card")
    }

    @Test(
        "A placeholder that there is not is refused",
        arguments: ["{UID}", "{balance}", "{uid} {u}", "{{uids}}"])
    func refused(_ text: String) {
        #expect(EventFormat(text) == nil)
    }
}
