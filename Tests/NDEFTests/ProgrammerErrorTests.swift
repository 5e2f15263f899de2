import NDEF
import Testing

@Suite("Errors of the programmer")
struct ProgrammerErrorTests {
    @Test("a language that no status byte can count")
    func longLanguage() async {
        await #expect(processExitsWith: .failure) {
            _ = NDEFText(language: String(repeating: "x", count: 64), text: "")
        }
    }

    @Test("a language that is not ASCII")
    func accentedLanguage() async {
        await #expect(processExitsWith: .failure) { _ = NDEFText(language: "é", text: "") }
    }

    @Test("a message that no TLV block holds")
    func longMessage() async {
        await #expect(processExitsWith: .failure) {
            _ = TLVArea.encoded(message: [UInt8](repeating: 0, count: TLV.maximumLength + 1))
        }
    }
}
