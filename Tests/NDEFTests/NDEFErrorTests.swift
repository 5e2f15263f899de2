import NDEF
import Testing

@Suite("NDEF errors")
struct NDEFErrorTests {
    @Test("two errors are equal when their kinds are")
    func equality() {
        #expect(NDEFError(.overrun, "one") == NDEFError(.overrun, "other"))
        #expect(NDEFError(.overrun) != NDEFError(.truncated))
    }

    @Test("an error says its kind and its detail")
    func description() {
        #expect("\(NDEFError(.overrun, "by one byte"))" == "overrun: by one byte")
        #expect("\(NDEFError(.overrun))" == "overrun")
    }
}
