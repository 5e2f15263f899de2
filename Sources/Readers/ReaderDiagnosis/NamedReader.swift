/// Facts that the name of a reader shows by itself: its first word is the driver.
public enum NamedReader {
    private static let serial: Set = ["pn532_uart", "arygon", "acr122s"]
    private static let buses: Set = ["pn532_spi", "pn532_i2c"]

    static func driver(of name: String) -> String {
        String(name.prefix { $0 != ":" })
    }

    /// Whether the path in the name has to be that of a serial port.
    public static func isSerial(_ name: String) -> Bool { serial.contains(driver(of: name)) }

    /// The path in a name such as `pn532_spi:/dev/spidev0.0:500000`. Nil where none belongs.
    public static func path(in name: String) -> String? {
        guard isSerial(name) || buses.contains(driver(of: name)) else { return nil }
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
    }

    /// Whether a survey cannot see such readers, because they use the mainboard's own buses or
    /// ports that are not searched.
    static func isUnseen(_ name: String) -> Bool {
        driver(of: name) != "pn532_uart" && (isSerial(name) || buses.contains(driver(of: name)))
    }

    static func isOnUSB(_ name: String) -> Bool {
        ["acr122_usb", "pn53x_usb", "pcsc"].contains(driver(of: name))
    }
}
