import Tags
import Testing

@Suite("NDEF errors")
struct NDEFErrorTests {
    @Test("Two NDEF errors are equal if their kinds are")
    func equality() {
        #expect(NDEFError(.overrun, "one") == NDEFError(.overrun, "other"))
        #expect(NDEFError(.overrun) != NDEFError(.truncated))
    }

    @Test("An NDEF error is described in words, without the name of its kind")
    func description() {
        #expect("\(NDEFError(.overrun, "by one byte"))" == "by one byte")
        #expect("\(NDEFError(.overrun))" == "the bytes are not a valid NDEF message")
    }
}

@Suite("NDEF programming errors")
struct ProgrammerErrorTests {
    @Test("A language longer than 63 bytes stops the program")
    func longLanguage() async {
        await #expect(processExitsWith: .failure) {
            _ = NDEFText(language: String(repeating: "x", count: 64), text: "")
        }
    }

    @Test("A language that is not ASCII stops the program")
    func accentedLanguage() async {
        await #expect(processExitsWith: .failure) { _ = NDEFText(language: "é", text: "") }
    }

    @Test("A message too long for a TLV block stops the program")
    func longMessage() async {
        await #expect(processExitsWith: .failure) {
            _ = TLVArea.encoded(message: [UInt8](repeating: 0, count: TLV.maximumLength + 1))
        }
    }
}
