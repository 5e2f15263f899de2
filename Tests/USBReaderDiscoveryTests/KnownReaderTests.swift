import ReaderDiagnosis
import Testing
import USBReaderDiscovery

@Suite("The table of readers")
struct KnownReaderTests {
    @Test("no numbers stand there twice")
    func once() {
        let numbers = KnownReaders.all.map(\.numbers)
        #expect(Set(numbers).count == numbers.count)
    }

    @Test(
        "what libnfc 1.8 drives is there, with the driver that its connection strings name",
        arguments: [
            "072f:2200 acr122_usb", "072f:90cc acr122_usb", "072f:2214 acr122_usb",
            "04cc:0531 pn53x_usb", "04cc:2533 pn53x_usb", "04e6:5591 pn53x_usb",
            "04e6:5594 pn53x_usb", "054c:0193 pn53x_usb", "054c:02e1 pn53x_usb",
            "1fd3:0608 pn53x_usb",
        ])
    func libnfc(line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let model = KnownReaders.all.first { $0.numbers == words[0] }
        #expect(model?.service == .libnfc(words[1]))
    }

    @Test("a reader is found by its numbers, and an unknown one is not")
    func lookup() {
        #expect(KnownReaders.model(vendor: 0x072F, product: 0x223B)?.make == "ACS ACR1252U")
        #expect(KnownReaders.model(vendor: 0x072F, product: 0xFFFF) == nil)
        #expect(KnownReaders.model(vendor: 0x1D6B, product: 0x0002) == nil)
    }

    @Test("every unsupported one says what to do instead")
    func advice() {
        let advice = KnownReaders.all.compactMap {
            if case .unsupported(let text) = $0.service { text } else { nil }
        }
        #expect(!advice.isEmpty)
        #expect(
            advice.allSatisfy { $0.contains("Use an ACR122U") || $0.contains("use an ACR122U") })
    }
}
