/// This machine's readers, as far as they can be detected without opening any of them.
public struct ReaderSurvey: Sendable, Hashable {
    /// Whether the machine has USB.
    public enum Bus: Sendable, Hashable {
        /// The kernel shows no USB, for example in a container or in a virtual machine without USB.
        case absent
        case present(deviceCount: Int)
    }

    /// The service that drives smart card readers.
    public enum SmartCardService: Sendable, Hashable {
        /// The service has no socket: it is not installed, or it is stopped.
        case absent
        /// systemd listens on the service's socket and starts the service on demand.
        case onDemand
        case running(pid: Int)
    }

    /// The library that drives most readers.
    public enum Library: Sendable, Hashable {
        case notAsked
        case missing
        /// The library is installed and usable, and has this version.
        case version(String)
        /// The library is installed but cannot be used: it is a different release, or something
        /// else with the same name.
        case unusable(why: String)
    }

    /// Why there is no reader at the path in the requested name.
    public enum PathRefusal: Sendable, Hashable {
        case missing(String)
        /// The path exists but is not a serial port.
        case noSerialPort(String)
        /// The path exists but is not a device on the bus that the name specifies.
        case notOnBus(String)
    }

    public var bus: Bus
    public var readers: [ConnectedReader]
    public var ports: [SerialPort]
    public var smartCardService: SmartCardService
    /// The names of the readers that pcscd lists; `nil` if it was not asked or could not list them.
    public var smartCardReaders: [String]?
    /// Why pcscd could not list its readers; `nil` if it could or was not asked.
    public var smartCardRefusal: String?
    public var libnfc: Library
    /// What is wrong with the path in the requested name.
    public var pathRefusal: PathRefusal?
    /// The device node in the requested name, if it is on a mainboard bus.
    public var busNode: DeviceNode?
    /// The current user, for commands that contain a user name.
    public var user: String

    public init(
        bus: Bus, readers: [ConnectedReader] = [], ports: [SerialPort] = [],
        smartCardService: SmartCardService = .absent, smartCardReaders: [String]? = nil,
        libnfc: Library = .notAsked, user: String
    ) {
        self.bus = bus
        self.readers = readers
        self.ports = ports
        self.smartCardService = smartCardService
        self.smartCardReaders = smartCardReaders
        self.libnfc = libnfc
        self.user = user
    }
}

/// A USB device whose model is in `KnownReaders`.
public struct ConnectedReader: Sendable, Hashable {
    public var model: ReaderModel
    public var bus: Int
    public var address: Int
    /// The name of the device's folder in sysfs, such as "1-2"; `nil` if it is not in sysfs.
    public var port: String?
    /// The name that the device reports.
    public var productText: String?
    public var node: DeviceNode
    public var holders: [ReaderHolder]

    public init(
        model: ReaderModel, bus: Int, address: Int, port: String? = nil,
        productText: String? = nil, node: DeviceNode, holders: [ReaderHolder] = []
    ) {
        self.model = model
        self.bus = bus
        self.address = address
        self.port = port
        self.productText = productText
        self.node = node
        self.holders = holders
    }

    /// The bus and the address, in the form that libnfc uses.
    public var place: String { Self.threeDigits(bus) + ":" + Self.threeDigits(address) }

    static func threeDigits(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }
}

/// A serial port to which a PN532 board may be connected. Only opening the port would show whether
/// one is.
public struct SerialPort: Sendable, Hashable {
    public var node: DeviceNode
    /// The USB bridge of this port, if its model is in `KnownReaders`.
    public var bridge: ReaderModel?
    /// Whether this port is a pseudo-terminal, which a program created. A program that emulates a
    /// reader has the port open too, so there is no way to tell which program is using the reader.
    public var isPseudoTerminal: Bool
    public var holders: [ReaderHolder]

    public init(
        node: DeviceNode, bridge: ReaderModel? = nil, isPseudoTerminal: Bool = false,
        holders: [ReaderHolder] = []
    ) {
        self.node = node
        self.bridge = bridge
        self.isPseudoTerminal = isPseudoTerminal
        self.holders = holders
    }
}
