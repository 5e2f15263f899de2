/// A reader model with its USB vendor and product IDs.
public struct ReaderModel: Sendable, Hashable {
    /// How tapcard uses a reader of this model.
    public enum Service: Sendable, Hashable {
        /// A libnfc driver, identified by the name at the beginning of its connection strings.
        case libnfc(String)
        /// pcscd, which gives readers long names. The word is the part of the name that identifies
        /// this model.
        case smartCard(word: String)
        /// The device is not a reader, but a serial port to which a PN532 board may be connected.
        case serialBridge
        /// The model is not supported; the text is advice for the user.
        case unsupported(String)
    }

    public let vendor: UInt16
    public let product: UInt16
    public let make: String
    public let service: Service
    /// The part of pcscd's names that identifies this model; `nil` if pcscd does not support it.
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

    /// The USB IDs, written as in lsusb: "072f:2200".
    public var numbers: String { Self.hexadecimal(vendor) + ":" + Self.hexadecimal(product) }

    /// A number as four hexadecimal digits, as udev rules require.
    public static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
