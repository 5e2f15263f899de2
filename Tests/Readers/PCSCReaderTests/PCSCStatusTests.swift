import PCSCReader
import Tags
import Testing

@Suite("PC/SC statuses")
struct PCSCStatusTests {
    @Test("Access denied means no reader at first, and a lost reader once access was granted")
    func denied() {
        let status = PCSCStatus.securityViolation
        #expect(status.readerError == ReaderError(.noReader))
        #expect(status.afterAdmission.readerError == ReaderError(.readerLost))
    }

    @Test(
        "Granted access does not change the meaning of any other status",
        arguments: [
            PCSCStatus.success, .cancelled, .noAccess, .sharingViolation, .removedCard,
            PCSCStatus(rawValue: 0x8010_0001),
        ])
    func others(status: PCSCStatus) {
        #expect(status.afterAdmission == status)
    }

    @Test("An unknown status is a lost reader, and the error shows its number")
    func unknown() {
        let error = PCSCStatus(rawValue: 0x42).readerError
        #expect(error == ReaderError(.readerLost))
        #expect(error.detail == "PC/SC status 00000042")
    }
}
