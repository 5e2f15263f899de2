/// A USB device, as identified by its bus, its address, and its descriptor.
struct USBIdentity: Sendable, Hashable {
    let bus: Int
    let address: Int
    let vendor: UInt16
    let product: UInt16
    /// Whether the device is a hub, which cannot be a reader.
    let isHub: Bool

    var model: ReaderModel? { KnownReaders.model(vendor: vendor, product: product) }
    // The kernel pads both numbers in the path to three digits.
    var node: String { "/dev/bus/usb/" + Self.threeDigits(bus) + "/" + Self.threeDigits(address) }

    private static func threeDigits(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }
}

/// The USB devices that sysfs shows.
struct USBBus: Sendable {
    static let folder = "/sys/bus/usb/devices"
    /// The device class for hubs.
    private static let hubClass = 0x09

    let tree: DeviceTree

    var exists: Bool { tree.exists("/sys/bus/usb") }

    /// The devices and their folders. Folders with a colon in their names belong to interfaces and
    /// are left out.
    func devices() -> [(folder: String, identity: USBIdentity)] {
        tree.names(in: Self.folder).filter { !$0.contains(":") }.compactMap { name in
            identity(of: name).map { (name, $0) }
        }
    }

    /// The identity of a device; `nil` if the device was unplugged in the meantime.
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
        // The folders of a device's interfaces have names such as "1-2:1.0".
        tree.names(in: Self.folder).filter { $0.hasPrefix(name + ":") }.compactMap { interface in
            tree.target(of: "\(Self.folder)/\(interface)/driver")?.split(separator: "/").last
                .map(String.init)
        }
    }

    func productText(of name: String) -> String? {
        tree.text("\(Self.folder)/\(name)/product").flatMap { $0.isEmpty ? nil : $0 }
    }
}
