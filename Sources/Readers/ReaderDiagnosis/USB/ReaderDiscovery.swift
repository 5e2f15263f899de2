import BlockingLane
import Glibc

/// Determines which readers are plugged in, whether this user is allowed to open them, and which
/// programs hold them.
///
/// It does not open, claim, or reset any reader. libnfc's own search would take a reader away from
/// the program that is using it.
public struct ReaderDiscovery: Sendable {
    /// The socket of pcscd, created by systemd or by pcscd itself.
    private static let smartCardSocket = "/run/pcscd/pcscd.comm"

    let tree: DeviceTree
    private let credentials: Credentials?

    /// `root` may be a folder that contains sys, dev, proc, and run. In that case, devices are
    /// listed from sysfs only. Without credentials, the kernel decides which devices this process
    /// is allowed to open.
    public init(root: String = "/", credentials: Credentials? = nil) {
        tree = DeviceTree(root: root)
        self.credentials = credentials
    }

    /// Returns the state of this machine's readers, as far as it can be determined without opening
    /// any of them.
    ///
    /// This reads several hundred small files. Use `survey()` wherever the thread must not be
    /// blocked.
    public func surveyBlocking() -> ReaderSurvey {
        let devices = identities()
        let bus = USBBus(tree: tree)
        return ReaderSurvey(
            // A device from libusb shows that there is USB, even if sysfs does not.
            bus: bus.exists || !devices.isEmpty
                ? .present(deviceCount: devices.count { !$0.isHub }) : .absent,
            readers: readers(among: devices), ports: serialPorts(),
            smartCardService: smartCardService(),
            user: AccountNames.user(credentials?.uid ?? geteuid()))
    }

    /// Performs a survey on its own lane.
    public func survey() async -> ReaderSurvey { await DiscoveryLane().survey(self) }

    /// Performs a survey that includes pcscd's readers and the state of the path in the given name.
    ///
    /// If pcscd is available, it is asked first, because systemd may have to start it for that.
    /// pcscd then claims readers, and the survey has to show those claims.
    public func survey(
        naming name: ReaderName?, askingSmartCards ask: () async -> SmartCardAnswer
    ) async -> ReaderSurvey {
        let lane = DiscoveryLane()
        let answer = await lane.hasSmartCardService(self) ? await ask() : nil
        var survey = await lane.survey(self, naming: name)
        switch answer {
        case .readers(let names): survey.smartCardReaders = names
        case .refusal(let reason): survey.smartCardRefusal = reason
        case nil: break
        }
        return survey
    }

    /// pcscd's response when asked for its readers.
    public enum SmartCardAnswer: Sendable, Hashable {
        case readers([String])
        case refusal(String)
    }

    fileprivate func surveyBlocking(naming name: ReaderName?) -> ReaderSurvey {
        var survey = surveyBlocking()
        guard let name, let path = name.path else { return survey }
        if let bus = name.bus {
            surveyBusNode(at: path, on: bus, &survey)
            return survey
        }
        guard !survey.ports.contains(where: { $0.node.path == path }) else { return survey }
        let isSerial = name.isSerial
        switch named(path) {
        case .missing: survey.pathRefusal = .missing(path)
        // With any other driver, the path does not have to be a serial port.
        case .other where isSerial: survey.pathRefusal = .noSerialPort(path)
        case .port(let port) where name.portPath != nil: survey.ports.append(port)
        case .port, .other: break
        }
        return survey
    }

    /// The readers that are plugged in now.
    public func connected() -> [ConnectedReader] { readers(among: identities()) }

    /// The devices that libusb lists. If libusb cannot be used, or if the tree is not the machine's
    /// own, they come from sysfs.
    private func identities() -> [USBIdentity] {
        let devices = tree.isSystemRoot ? LibUSB.devices() : nil
        return (devices ?? sysfsIdentities()).sorted { ($0.bus, $0.address) < ($1.bus, $1.address) }
    }

    func sysfsIdentities() -> [USBIdentity] { USBBus(tree: tree).devices().map(\.identity) }

    func readers(among devices: [USBIdentity]) -> [ConnectedReader] {
        let known = devices.compactMap { device in device.model.map { (device, $0) } }
        guard !known.isEmpty else { return [] }
        let bus = USBBus(tree: tree)
        let folders = bus.devices()
        // One search covers all readers, because each search goes through all processes.
        let programs = OpenFiles(tree: tree).programs(holding: Set(known.map { $0.0.node }))
        return known.map { device, model in
            let folder = folders.first {
                $0.identity.bus == device.bus && $0.identity.address == device.address
            }?.folder
            return ConnectedReader(
                model: model, bus: device.bus, address: device.address, port: folder,
                productText: folder.flatMap(bus.productText),
                node: node(device.node),
                holders: holders(
                    model, folder.map(bus.drivers) ?? [], programs[device.node] ?? []))
        }
    }

    /// The holders of a device. It is normal for a kernel driver to hold a serial bridge, or a
    /// keyboard that is part of a reader, so neither is reported. The driver "usbfs" stands for a
    /// program, possibly another user's.
    private func holders(
        _ model: ReaderModel, _ drivers: [String], _ programs: [ReaderHolder]
    ) -> [ReaderHolder] {
        guard model.service != .serialBridge else { return [] }
        let modules = Set(drivers).subtracting(["usbfs", "usbhid"]).sorted()
        // Only root can see other users' open files, but everyone can see that a program has
        // claimed the device.
        let isClaimed = drivers.contains("usbfs") && programs.isEmpty
        return modules.map { .kernel(driver: $0) } + programs + (isClaimed ? [.unknownProgram] : [])
    }

    func node(_ path: String) -> DeviceNode {
        guard let status = tree.status(path) else {
            return DeviceNode(path: path, access: .missing, owner: "", group: "", mode: 0)
        }
        let mayOpen =
            credentials?.mayOpen(
                owner: status.st_uid, group: status.st_gid, mode: status.st_mode)
            ?? tree.mayOpen(path)
        return DeviceNode(
            path: path, access: mayOpen ? .readAndWrite : .denied,
            owner: AccountNames.user(status.st_uid), group: AccountNames.group(status.st_gid),
            mode: UInt16(status.st_mode & 0o777))
    }

    /// The state of pcscd. A process with that name is not enough: it may be in another container,
    /// or it may be a different program.
    fileprivate func smartCardService() -> ReaderSurvey.SmartCardService {
        guard tree.exists(Self.smartCardSocket) else { return .absent }
        return OpenFiles(tree: tree).process(named: "pcscd").map { .running(pid: $0) } ?? .onDemand
    }
}

/// The lane on which a survey's files are read, so that they do not block a shared thread.
private actor DiscoveryLane {
    private nonisolated let lane = BlockingLane(label: "tapcard.discovery")

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe lane.asUnownedSerialExecutor() }

    func survey(_ discovery: ReaderDiscovery, naming name: ReaderName? = nil) -> ReaderSurvey {
        discovery.surveyBlocking(naming: name)
    }

    func hasSmartCardService(_ discovery: ReaderDiscovery) -> Bool {
        discovery.smartCardService() != .absent
    }
}
