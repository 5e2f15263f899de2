package import Tags

/// libnfc's name for a reader, such as `pn532_uart:/dev/ttyUSB0:115200`.
///
/// libnfc accepts an incomplete name and then opens the first reader it finds. This type rejects
/// names with missing parts or with parts that libnfc would silently misread.
package struct ConnectionString: Hashable, Sendable {
    /// The drivers in Debian's libnfc for PN53x chips. `ChipCommand` supports only those chips.
    package enum Driver: String, CaseIterable {
        case acr122USB = "acr122_usb"
        case pn53xUSB = "pn53x_usb"
        case pn532UART = "pn532_uart"
        case acr122Serial = "acr122s"
        case arygon
        case pn532SPI = "pn532_spi"
        case pn532I2C = "pn532_i2c"

        package var isUSB: Bool { self == .acr122USB || self == .pn53xUSB }
        fileprivate var hasLineSpeed: Bool { [.pn532UART, .acr122Serial, .arygon].contains(self) }

        /// The time limit for one command, in milliseconds. By default, the chip stops waiting for
        /// a tag after 51 ms. The USB drivers subtract 200 ms from the limit and fail immediately
        /// if nothing is left; 0 would mean no limit.
        package var commandLimit: Int32 { isUSB ? 1000 : 500 }

        /// The maximum number of bytes in a tag's response, not counting its CRC.
        ///
        /// A PN53x passes on at most 262 bytes of a tag's frame. An ACR122 encodes the length of
        /// its response in one byte, and five bytes of the response are the reader's own, which
        /// leaves 250. libnfc's I2C driver has a 264-byte buffer, of which it uses 12 bytes itself,
        /// including the trailing checksum. The tag's CRC always takes up two bytes.
        package var maximumAnswerLength: Int {
            switch self {
            case .acr122USB, .acr122Serial: 250 - RadioCRC.length
            case .pn532I2C: 252 - RadioCRC.length
            default: 262 - RadioCRC.length
            }
        }
    }

    /// The line speeds that libnfc supports. If the name specifies any other speed, libnfc keeps
    /// the port's current speed.
    private static let lineSpeeds = [9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800]
    /// The accepted SPI clock rates, in hertz. The chip supports up to 5 MHz, but libnfc accepts
    /// any number, even 0.
    private static let clocks = 1000...5_000_000
    private static let maximumLength = 1023

    package let text: String
    package let driver: Driver
    /// The reader's device node; `nil` for a USB reader.
    package let node: String?

    package init(_ text: String) throws(ReaderError) {
        func refuse(_ reason: String) -> ReaderError {
            ReaderError(.noReader, "\"\(text)\": \(reason)")
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        // libnfc's buffer holds 1023 bytes and a terminating zero.
        guard text.utf8.count <= Self.maximumLength, !text.utf8.contains(where: { $0 < 0x20 })
        else {
            throw ReaderError(
                .noReader, "the reader name is too long or contains control characters")
        }
        guard let driver = Driver(rawValue: parts[0]) else {
            let known = Driver.allCases.map(\.rawValue).joined(separator: ", ")
            throw refuse("the name must start with one of these drivers: \(known)")
        }
        // If the bus or the device number is missing, libnfc opens the first USB reader it finds.
        guard !parts.contains(""), parts.count > (driver.isUSB ? 2 : 1) else {
            throw refuse(
                "part of the name is missing; use the complete name as `tapcard readers` lists it")
        }
        // libnfc splits names at colons, so a path cannot contain one.
        guard parts.count <= 3 else {
            throw refuse("the name has more than two colons; choose a path without a colon")
        }
        if driver.hasLineSpeed, parts.count == 3 {
            guard let speed = Int(parts[2]), Self.lineSpeeds.contains(speed) else {
                throw refuse("libnfc does not support the line speed \(parts[2])")
            }
        }
        if driver == .pn532SPI, parts.count == 3 {
            guard let clock = Int(parts[2]), Self.clocks.contains(clock) else {
                throw refuse("the SPI clock must be 1000 to 5000000 Hz, not \(parts[2])")
            }
        }
        if driver == .pn532I2C, parts.count == 3 {
            throw refuse(
                "the name of an I2C reader ends with the path; libnfc has no speed setting for I2C")
        }
        self.text = text
        self.driver = driver
        node = driver.isUSB ? nil : parts[1]
    }
}
