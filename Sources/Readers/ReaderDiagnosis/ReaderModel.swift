/// A make of reader, by its USB numbers: a row of a table.
public struct ReaderModel: Sendable, Hashable {
    /// How tapcard talks to a reader of this make.
    public enum Service: Sendable, Hashable {
        /// A driver of libnfc, by the name that its connection strings begin with.
        case libnfc(String)
        /// pcscd, which gives its readers long names; the word is the part that tells this make.
        case smartCard(word: String)
        /// No reader in itself: a serial port, on which a PN532 board may hang.
        case serialBridge
        /// None, and what to do about it.
        case unsupported(String)
    }

    public let vendor: UInt16
    public let product: UInt16
    public let make: String
    public let service: Service
    /// The word by which pcscd's name for a reader tells it, where pcscd takes this make, too.
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

    /// As lsusb writes it.
    public var numbers: String { Self.hexadecimal(vendor) + ":" + Self.hexadecimal(product) }

    /// Four digits, as in udev rules.
    public static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
