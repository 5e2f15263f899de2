/// Everything that is known of the readers of this machine, seen from outside: nothing was opened.
public struct ReaderSurvey: Sendable, Hashable {
    /// Whether there is USB at all.
    public enum Bus: Sendable, Hashable {
        /// The kernel knows no USB: a container, or a virtual machine without it.
        case absent
        case present(deviceCount: Int)
    }

    /// The service that smart card readers are used through.
    public enum SmartCardService: Sendable, Hashable {
        /// Neither its socket nor its process is there.
        case absent
        /// systemd listens for it and starts it when somebody asks.
        case onDemand
        case running(pid: Int)
    }

    /// The library that most readers are used through.
    public enum Library: Sendable, Hashable {
        case notAsked
        case missing
        /// It is there and can be used.
        case version(String)
        /// It is there and is refused: another release, or something else with its name.
        case unusable(why: String)
    }

    /// Why a path in the name that was asked for leads to no reader.
    public enum PathRefusal: Sendable, Hashable {
        case missing(String)
        /// There is something, but no terminal that a board could hang on.
        case noSerialPort(String)
    }

    public var bus: Bus
    public var readers: [PluggedReader]
    public var ports: [SerialPort]
    public var smartCardService: SmartCardService
    /// The names under which pcscd offers readers; nil where it did not say.
    public var smartCardReaders: [String]?
    /// Why it did not, where it was asked.
    public var smartCardRefusal: String?
    public var libnfc: Library
    /// What is wrong with the path in the name that was asked for.
    public var pathRefusal: PathRefusal?
    /// Who asks, for commands that name a user.
    public var user: String

    public init(
        bus: Bus, readers: [PluggedReader] = [], ports: [SerialPort] = [],
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

/// A device on the USB whose make is in the table.
public struct PluggedReader: Sendable, Hashable {
    public var model: ReaderModel
    public var bus: Int
    public var address: Int
    /// The name of its folder in sysfs, such as "1-2"; nil where sysfs does not know it.
    public var port: String?
    /// What the device calls itself.
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

    /// Bus and address as libnfc writes them.
    public var place: String { Self.threeDigits(bus) + ":" + Self.threeDigits(address) }

    static func threeDigits(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }
}

/// A serial port, on which a PN532 board may hang: nothing but a question to it could tell.
public struct SerialPort: Sendable, Hashable {
    public var node: DeviceNode
    /// The USB bridge that it is, where it is one of the table.
    public var bridge: ReaderModel?
    /// One that a program made: who plays a reader has it open, so that nothing can be said of
    /// who holds it.
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
