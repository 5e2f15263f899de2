import LibNFCReader
import Tags
import Testing

@Suite("Connection strings of libnfc")
struct ConnectionStringTests {
    @Test(
        "A complete connection string is accepted, with its device path",
        arguments: [
            ("pn532_uart:/dev/ttyUSB0", "/dev/ttyUSB0"),
            ("pn532_uart:/dev/ttyUSB0:115200", "/dev/ttyUSB0"),
            ("pn532_i2c:/dev/i2c-1", "/dev/i2c-1"),
            ("pn532_spi:/dev/spidev0.0", "/dev/spidev0.0"),
            ("pn532_spi:/dev/spidev0.0:500000", "/dev/spidev0.0"),
            ("acr122_usb:001:004", nil), ("pn53x_usb:002:011", nil),
        ])
    func whole(text: String, node: String?) throws {
        let connection = try ConnectionString(text)
        #expect(connection.text == text && connection.node == node)
    }

    /// libnfc would open the first USB device of any kind for a bare driver, ignore a speed that it
    /// does not know, and cut a path at its colon.
    @Test(
        "A connection string that libnfc would misread is refused",
        arguments: [
            "", "usb", "usb:001:004", "acr122_usb", "acr122_usb:001", "acr122_usb::",
            "pn53x_usb:001:", "pn532_uart", "pn532_uart:", "pn532_uart:/dev/ttyUSB0:",
            "pn532_i2c:/dev/i2c-1:100000", "pn532_spi:/dev/spidev0.0:0",
            "pn532_spi:/dev/spidev0.0:5000001", "pn532_spi:/dev/spidev0.0:fast",
            "pn532_uart:/dev/ttyUSB0:fast", "pn532_uart:/dev/ttyUSB0:115201",
            "pn532_uart:/dev/serial/by-path/pci-0000:00:14.0-usb", "pcsc:ACS", "/dev/ttyUSB0",
            "pn532_uart:/dev/\u{0}tty", "pn532_uart:/" + String(repeating: "x", count: 1024),
        ])
    func refused(text: String) {
        #expect(throws: ReaderError(.noReader)) { try ConnectionString(text) }
    }

    @Test("ACR122 and I2C drivers carry 62 pages in one answer, and the others 65")
    func maximumAnswerLength() {
        for driver in ConnectionString.Driver.allCases {
            let isNarrow = [.acr122USB, .acr122Serial, .pn532I2C].contains(driver)
            #expect(driver.maximumAnswerLength / 4 == (isNarrow ? 62 : 65))
        }
    }

    /// The USB drivers subtract 200 ms from a limit and fail at once if nothing remains, and no
    /// wait may be endless.
    @Test("Every driver's command limit is more than 200 ms and at most one second")
    func limits() {
        for driver in ConnectionString.Driver.allCases {
            #expect((201...1000).contains(driver.commandLimit))
        }
    }

    @Test("The holder of a lock is found in the system's list by device and file number")
    func locks() {
        let list = """
            1: POSIX  ADVISORY  WRITE 77 00:1b:5 0 EOF
            2: FLOCK  ADVISORY  WRITE 1234 00:18:5 0 EOF
            3: FLOCK  ADVISORY  WRITE -1 00:18:6 0 EOF
            4: FLOCK
            """
        #expect(LockList.name(device: 0x18, file: 5) == "00:18:5")
        #expect(LockList.name(device: 0x11_0305, file: 77) == "103:105:77")
        #expect(LockList.holder(of: "00:18:5", in: list) == 1234)
        #expect(LockList.holder(of: "00:18:6", in: list) == nil)
        #expect(LockList.holder(of: "00:1b:5", in: list) == nil)
        #expect(LockList.holder(of: "00:18:5", in: "") == nil)
    }
}
