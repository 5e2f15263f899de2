import ReaderDiagnosis

/// A device on the bus, by what its descriptor says.
struct USBIdentity: Sendable, Hashable {
    let bus: Int
    let address: Int
    let vendor: UInt16
    let product: UInt16
    /// Hubs are no devices that anybody plugged in to use.
    let isHub: Bool

    var model: ReaderModel? { KnownReaders.model(vendor: vendor, product: product) }
    var node: String { "/dev/bus/usb/" + Self.threeDigits(bus) + "/" + Self.threeDigits(address) }

    private static func threeDigits(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }
}

/// The USB as sysfs shows it.
struct USBBus: Sendable {
    static let folder = "/sys/bus/usb/devices"
    /// The class that hubs give for themselves.
    private static let hubClass = 0x09

    let tree: DeviceTree

    var isThere: Bool { tree.exists("/sys/bus/usb") }

    /// Folders of devices by their names; those of interfaces have a colon in theirs.
    func devices() -> [(folder: String, identity: USBIdentity)] {
        tree.names(in: Self.folder).filter { !$0.contains(":") }.compactMap { name in
            identity(of: name).map { (name, $0) }
        }
    }

    /// Nil for one that went away while it was looked at.
    private func identity(of name: String) -> USBIdentity? {
        let path = "\(Self.folder)/\(name)/"
        guard let bus = tree.number(path + "busnum"), let address = tree.number(path + "devnum"),
            let vendor = tree.number(path + "idVendor", radix: 16).flatMap(UInt16.init(exactly:)),
            let product = tree.number(path + "idProduct", radix: 16).flatMap(UInt16.init(exactly:))
        else { return nil }
        let isHub = tree.number(path + "bDeviceClass", radix: 16) == Self.hubClass
        return USBIdentity(
            bus: bus, address: address, vendor: vendor, product: product, isHub: isHub)
    }

    /// The drivers that are bound to a device's interfaces.
    func drivers(of name: String) -> [String] {
        tree.names(in: Self.folder).filter { $0.hasPrefix(name + ":") }.compactMap { interface in
            tree.target(of: "\(Self.folder)/\(interface)/driver")?.split(separator: "/").last
                .map(String.init)
        }
    }

    func productText(of name: String) -> String? {
        tree.text("\(Self.folder)/\(name)/product").flatMap { $0.isEmpty ? nil : $0 }
    }
}
