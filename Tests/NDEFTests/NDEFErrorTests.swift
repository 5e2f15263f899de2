import NDEF
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
