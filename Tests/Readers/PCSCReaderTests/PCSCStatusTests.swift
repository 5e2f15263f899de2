import PCSCReader
import Tags
import Testing

@Suite("A PC/SC status")
struct PCSCStatusTests {
    @Test("access denied means no reader at first, and a lost one after access was granted")
    func denied() {
        let status = PCSCStatus.securityViolation
        #expect(status.readerError == ReaderError(.noReader))
        #expect(status.onceLetIn.readerError == ReaderError(.readerLost))
    }

    @Test(
        "any other means the same at all times",
        arguments: [
            PCSCStatus.success, .cancelled, .noAccess, .sharingViolation, .removedCard,
            PCSCStatus(rawValue: 0x8010_0001),
        ])
    func others(status: PCSCStatus) {
        #expect(status.onceLetIn == status)
    }

    @Test("an unknown one is a lost reader, with its number")
    func unknown() {
        let error = PCSCStatus(rawValue: 0x42).readerError
        #expect(error == ReaderError(.readerLost))
        #expect(error.detail == "PC/SC status 00000042")
    }
}
