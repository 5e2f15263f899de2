public import ReaderDiagnosis
import Testing

@Suite("Names of readers as text")
struct ReaderNameTests {
    @Test(
        "A reader name is parsed and written back unchanged",
        arguments: [
            ("sim", .simulated(file: nil)), ("sim:tags.txt", .simulated(file: "tags.txt")),
            ("sim:a:b", .simulated(file: "a:b")), ("sim:-", .simulated(file: "-")),
            ("pcsc:ACS ACR1252 [PICC] 00 00", .smartCard("ACS ACR1252 [PICC] 00 00")),
            ("pcsc::", .smartCard(":")), ("SIM:x", .libnfc(driver: "SIM", place: "x")),
            ("acr122_usb:001:004", .libnfc(driver: "acr122_usb", place: "001:004")),
            (
                "pn532_uart:/dev/ttyUSB0:115200",
                .libnfc(driver: "pn532_uart", place: "/dev/ttyUSB0:115200")
            ),
        ] as [(String, ReaderName)])
    func roundTrip(_ text: String, _ name: ReaderName) {
        #expect(ReaderName(text) == name)
        #expect(name.text == text && "\(name)" == text)
    }

    @Test(
        "Text without two parts, or with control characters, is not a reader name",
        arguments: ["", ":", "::", "sim:", "pcsc:", "pcsc", "Sim", ":x", "sim:a\nb", "pcsc:\u{9B}"])
    func refused(_ text: String) {
        #expect(ReaderName(text) == nil)
    }

    @Test("Only the name of a serial port or a bus contains a path")
    func paths() {
        let port: ReaderName = "pn532_uart:/dev/ttyUSB0:115200"
        #expect(port.path == "/dev/ttyUSB0" && port.portPath == port.path && port.isSerial)
        let bus: ReaderName = "pn532_spi:/dev/spidev0.0:500000"
        #expect(bus.path == "/dev/spidev0.0" && bus.portPath == nil && !bus.isSerial)
        #expect(bus.bus == .spi && port.bus == nil)
        for name: ReaderName in ["sim:/dev/x", "pcsc:/dev/x", "acr122_usb:001:004", "arygon::9600"]
        {
            #expect(name.path == nil, "\(name)")
        }
    }
}

/// Lets tests write reader names as literals; an invalid one ends the test.
extension ReaderName: ExpressibleByStringLiteral,
    ExpressibleByStringInterpolation
{
    public init(stringLiteral text: String) {
        guard let name = ReaderName(text) else { preconditionFailure("\(text) names no reader") }
        self = name
    }
}
