package import Tags

/// libnfc's name for a reader, such as `pn532_uart:/dev/ttyUSB0:115200`.
///
/// libnfc accepts an incomplete name and then opens the first reader it finds. This type refuses
/// names with missing parts, or with parts that libnfc would silently misread.
package struct ConnectionString: Hashable, Sendable {
    /// The drivers in Debian's libnfc for chips of the PN53x family, which `ChipCommand` requires.
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

        /// The time limit for one command, in milliseconds. The chip stops waiting for a tag after
        /// 51. The USB drivers subtract 200 and fail immediately if nothing is left; 0 would mean
        /// no limit.
        package var commandLimit: Int32 { isUSB ? 1000 : 500 }

        /// The maximum number of bytes of a tag's answer, without its CRC, in one answer from the
        /// chip.
        ///
        /// A PN53x passes on 262 bytes of a frame. An ACR122 uses one byte to count the bytes in
        /// its answer and needs five of them itself, which leaves 250. libnfc's I2C driver has room
        /// for 264 bytes of a frame and needs 12 of them, including the checksum at the end. The
        /// CRC always takes two bytes.
        package var longestAnswer: Int {
            switch self {
            case .acr122USB, .acr122Serial: 250 - RadioCRC.length
            case .pn532I2C: 252 - RadioCRC.length
            default: 262 - RadioCRC.length
            }
        }
    }

    /// The line speeds that libnfc can set. It ignores any other speed and uses the current one.
    private static let lineSpeeds = [9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800]
    /// The SPI clock in hertz. The chip can keep up with as much as 5 MHz. libnfc accepts any
    /// number, even 0.
    private static let clocks = 1000...5_000_000
    private static let longest = 1023

    package let text: String
    package let driver: Driver
    /// The device node of a reader that is not on USB.
    package let node: String?

    package init(_ text: String) throws(ReaderError) {
        func refuse(_ why: String) -> ReaderError { ReaderError(.noReader, "\"\(text)\": \(why)") }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        // libnfc has room for 1023 bytes of the name and a zero.
        guard text.utf8.count <= Self.longest, !text.utf8.contains(where: { $0 < 0x20 }) else {
            throw ReaderError(
                .noReader, "the reader name is too long or contains control characters")
        }
        guard let driver = Driver(rawValue: parts[0]) else {
            let known = Driver.allCases.map(\.rawValue).joined(separator: ", ")
            throw refuse("the name must start with one of these drivers: \(known)")
        }
        // Without a bus and a device, libnfc opens the first USB reader of any kind.
        guard !parts.contains(""), parts.count > (driver.isUSB ? 2 : 1) else {
            throw refuse(
                "part of the name is missing; use the complete name as `tapcard readers` lists it")
        }
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
