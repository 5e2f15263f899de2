extension ReaderDiscovery {
    /// The name prefixes of serial ports to which a board may be connected. The ports on a PC's
    /// mainboard are left out, because they always exist and hardly ever have a reader.
    private static let prefixes = ["ttyUSB", "ttyACM", "ttyAMA"]
    /// The Raspberry Pi's name for the port on its header; a link to one of the other ports.
    private static let headerPort = "serial0"

    /// The serial ports to which a PN532 board may be connected.
    public func serialPorts() -> [SerialPort] {
        let names = tree.names(in: "/dev")
        let header = names.first { $0 == Self.headerPort }
        // The port on the header is listed only once, under this name.
        let linked = header.flatMap { tree.target(of: "/dev/\($0)") }?.split(separator: "/").last
        let ports =
            names.filter { name in
                Self.prefixes.contains { name.hasPrefix($0) } && linked.map { $0 != name } ?? true
            } + [header].compactMap { $0 }
        // A program that uses the port on the header has the port itself open, not the link.
        let opened = Dictionary(
            ports.map { ("/dev/\($0)", $0 == header ? "/dev/\(linked ?? "")" : "/dev/\($0)") },
            uniquingKeysWith: { first, _ in first })
        let programs = OpenFiles(tree: tree).programs(holding: Set(opened.values))
        return ports.map { name in
            let path = "/dev/\(name)"
            return SerialPort(
                node: node(path), bridge: bridge(of: name),
                holders: opened[path].flatMap { programs[$0] } ?? [])
        }
    }

    /// The result of looking up a path.
    public enum NamedPath: Sendable, Hashable {
        case port(SerialPort)
        /// The path exists but is not a terminal.
        case other
        case missing
    }

    /// Looks up the port at a path, regardless of its name.
    public func named(_ path: String) -> NamedPath {
        let port = node(path)
        guard port.access != .missing else { return .missing }
        let opened = tree.resolved(path)
        let isPseudoTerminal = isPseudoTerminal(opened)
        guard tree.isCharacterDevice(path), isPseudoTerminal || isTerminal(opened) else {
            return .other
        }
        // The program that emulates the reader also has the terminal open, so a holder does not
        // mean that the reader is in use.
        let holders =
            isPseudoTerminal
            ? [] : OpenFiles(tree: tree).programs(holding: [opened])[opened] ?? []
        return .port(
            SerialPort(node: port, isPseudoTerminal: isPseudoTerminal, holders: holders))
    }

    private func isPseudoTerminal(_ path: String) -> Bool {
        let folder = "/dev/pts/"
        // The folder also contains ptmx, which is not a terminal.
        return path.hasPrefix(folder) && Int(path.dropFirst(folder.count)) != nil
    }

    private func isTerminal(_ path: String) -> Bool {
        guard let name = path.split(separator: "/").last else { return false }
        return tree.exists("/sys/class/tty/\(name)")
    }

    /// The bridge that provides a port. Depending on the driver, its folder is one or two levels
    /// above the port's folder.
    private func bridge(of name: String) -> ReaderModel? {
        for above in ["..", "../.."] {
            let folder = "/sys/class/tty/\(name)/device/\(above)/"
            guard let vendor = tree.number(folder + "idVendor", radix: 16),
                let product = tree.number(folder + "idProduct", radix: 16)
            else { continue }
            return KnownReaders.model(
                vendor: UInt16(truncatingIfNeeded: vendor),
                product: UInt16(truncatingIfNeeded: product))
        }
        return nil
    }
}
