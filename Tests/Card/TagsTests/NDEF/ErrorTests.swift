import Tags
import Testing

@Suite("NDEF errors")
struct NDEFErrorTests {
    @Test("two errors are equal when their kinds are")
    func equality() {
        #expect(NDEFError(.overrun, "one") == NDEFError(.overrun, "other"))
        #expect(NDEFError(.overrun) != NDEFError(.truncated))
    }

    @Test("an error is words for people, without the name of its kind")
    func description() {
        #expect("\(NDEFError(.overrun, "by one byte"))" == "by one byte")
        #expect("\(NDEFError(.overrun))" == "the bytes are not a valid NDEF message")
    }
}

@Suite("Programming errors")
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
