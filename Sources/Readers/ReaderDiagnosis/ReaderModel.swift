/// A reader model with its USB numbers: a row in a table.
public struct ReaderModel: Sendable, Hashable {
    /// How tapcard uses a reader of this model.
    public enum Service: Sendable, Hashable {
        /// A libnfc driver, identified by the name at the beginning of its connection strings.
        case libnfc(String)
        /// pcscd, which gives its readers long names; the word identifies this model in those
        /// names.
        case smartCard(word: String)
        /// Not a reader but a serial port that may have a PN532 board.
        case serialBridge
        /// Not supported, with advice.
        case unsupported(String)
    }

    public let vendor: UInt16
    public let product: UInt16
    public let make: String
    public let service: Service
    /// The word that identifies this model in pcscd's names, if pcscd also supports it.
    public let smartCardWord: String?

    public init(
        _ vendor: UInt16, _ product: UInt16, _ make: String, _ service: Service,
        smartCardWord: String? = nil
    ) {
        self.vendor = vendor
        self.product = product
        self.make = make
        self.service = service
        if case .smartCard(let word) = service {
            self.smartCardWord = word
        } else {
            self.smartCardWord = smartCardWord
        }
    }

    /// The USB numbers, written as in lsusb.
    public var numbers: String { Self.hexadecimal(vendor) + ":" + Self.hexadecimal(product) }

    /// The number as four hexadecimal digits, as in udev rules.
    public static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
