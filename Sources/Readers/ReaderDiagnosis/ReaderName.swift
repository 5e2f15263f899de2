/// The name that users specify to select a reader: the value of `--reader`, and the first column in
/// the list of readers.
public enum ReaderName: Hashable, Sendable {
    /// `sim`, whose file is in the data folder, or `sim:FILE`.
    case simulated(file: String?)
    /// `pcsc:NAME`, a reader driven by pcscd. Part of the name is enough.
    case smartCard(String)
    /// `DRIVER:PLACE`, a libnfc connection string. libnfc alone checks the driver.
    case libnfc(driver: String, place: String)

    private static let simulatedWord = "sim"
    private static let smartCardWord = "pcsc"
    static let uart = "pn532_uart"
    private static let serial: Set = [uart, "arygon", "acr122s"]
    private static let usb: Set = ["acr122_usb", "pn53x_usb"]

    /// Parses a name, without checking whether such a reader exists; `nil` if the text is in none
    /// of these forms.
    public init?(_ text: String) {
        guard text != ReaderName.simulatedWord else {
            self = .simulated(file: nil)
            return
        }
        guard let colon = text.firstIndex(of: ":"),
            // The name is displayed in messages, so it must not be able to move the cursor.
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        let kind = String(text[..<colon])
        let rest = String(text[text.index(after: colon)...])
        guard !kind.isEmpty, !rest.isEmpty else { return nil }
        self =
            switch kind {
            case ReaderName.simulatedWord: .simulated(file: rest)
            case ReaderName.smartCardWord: .smartCard(rest)
            // libnfc decides whether such a driver exists.
            default: .libnfc(driver: kind, place: rest)
            }
    }

    /// The text form of this name.
    public var text: String {
        switch self {
        case .simulated(nil): ReaderName.simulatedWord
        case .simulated(let file?): "\(ReaderName.simulatedWord):\(file)"
        case .smartCard(let name): "\(ReaderName.smartCardWord):\(name)"
        case .libnfc(let driver, let place): "\(driver):\(place)"
        }
    }

    public var isSimulated: Bool { if case .simulated = self { true } else { false } }

    /// The libnfc driver; `nil` for a reader that libnfc does not drive.
    public var driver: String? { if case .libnfc(let driver, _) = self { driver } else { nil } }

    /// Whether the path in the name has to be a serial port.
    public var isSerial: Bool { driver.map(ReaderName.serial.contains) ?? false }

    /// The mainboard bus that the reader is on; `nil` if it is not on one.
    public var bus: MainboardBus? { driver.flatMap(MainboardBus.init) }

    /// The path in a name such as `pn532_spi:/dev/spidev0.0:500000`; `nil` if there is none.
    public var path: String? {
        guard case .libnfc(_, let place) = self, isSerial || bus != nil else { return nil }
        // A speed may follow the path, after a colon.
        let path = place.prefix { $0 != ":" }
        return path.isEmpty ? nil : String(path)
    }

    /// The path of a serial port in a name such as `pn532_uart:/dev/ttyUSB0:115200`.
    public var portPath: String? { driver == ReaderName.uart ? path : nil }

    /// Whether a survey cannot see this reader, because it is on a mainboard bus, or because it is
    /// on a serial port but uses a driver other than `pn532_uart`.
    var isUnseen: Bool { driver != ReaderName.uart && (isSerial || bus != nil) }

    var isOnUSB: Bool {
        if case .smartCard = self { return true }
        return driver.map(ReaderName.usb.contains) ?? false
    }
}

extension ReaderName: CustomStringConvertible {
    public var description: String { text }
}
