import Foundation
import ReaderDiagnosis

/// The folders sys, dev, proc and run of an imaginary machine.
final class FakeMachine: Sendable {
    /// A user who owns no file and is in no group.
    static let stranger = Credentials(uid: 4_000_000, groups: [])

    let root: String

    /// Makes a machine with these readers plugged in, or without any USB if nil.
    init(_ fixtures: [String]?) throws {
        root = NSTemporaryDirectory() + "tapcard-usb-\(UUID().uuidString)"
        for folder in ["sys/class/tty", "dev", "proc", "run"] { try make(folder) }
        guard let fixtures else { return }
        try make("sys/bus/usb/devices")
        for fixture in ["hub"] + fixtures { try plug(fixture) }
    }

    deinit {
        // Files that stay in the folder for temporary files do no harm.
        try? FileManager.default.removeItem(atPath: root)
    }

    func plug(_ fixture: String) throws {
        for device in try DeviceDescription.devices(in: fixture) {
            let folder = "sys" + device.path
            try make(folder)
            for (name, value) in device.attributes {
                try write(value + "\n", to: "\(folder)/\(name)")
            }
            for (name, target) in device.links { try link("\(folder)/\(name)", to: target) }
            if let node = device.node {
                let path = "dev/\(node)"
                try make(path.split(separator: "/").dropLast().joined(separator: "/"))
                try write("", to: path)
                try setMode(of: "/\(path)", 0o664)
            }
            let listed = "\(root)/\(folder)"
            switch device.subsystem {
            // The bus lists a device when all of it is there.
            case "usb": try link("sys/bus/usb/devices/\(device.name)", to: listed)
            case "tty": try link("sys/class/tty/\(device.name)", to: listed)
            default: break
            }
        }
    }

    func unplug(_ fixture: String) throws {
        for device in try DeviceDescription.devices(in: fixture).reversed() {
            if device.subsystem == "usb" { try remove("sys/bus/usb/devices/\(device.name)") }
            if let node = device.node { try remove("dev/\(node)") }
        }
    }

    /// Adds a process with these files open.
    func run(_ program: String, as pid: Int, opening paths: [String] = []) throws {
        try make("proc/\(pid)/fd")
        try write(program + "\n", to: "proc/\(pid)/comm")
        for (number, path) in paths.enumerated() {
            try link("proc/\(pid)/fd/\(number + 3)", to: path)
        }
    }

    /// Adds pcscd with its socket.
    func runPCSCD(as pid: Int, opening paths: [String] = []) throws {
        try listenForSmartCards()
        try run("pcscd", as: pid, opening: paths)
    }

    /// Adds pcscd's socket alone, as systemd does.
    func listenForSmartCards() throws {
        try make("run/pcscd")
        try write("", to: "run/pcscd/pcscd.comm")
    }

    func setMode(of path: String, _ mode: Int) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: root + path)
    }

    func group(of path: String) throws -> UInt32 {
        let attributes = try FileManager.default.attributesOfItem(atPath: root + path)
        return (attributes[.groupOwnerAccountID] as? NSNumber)?.uint32Value ?? 0
    }

    func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: "\(root)/\(path)")
    }

    func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(root)/\(path)", withDestinationPath: target)
    }

    /// Adds a class of the kernel with one device.
    func addClass(_ name: String, with device: String) throws {
        try make("sys/class/\(name)/\(device)")
    }

    func discovery(as credentials: Credentials? = nil) -> ReaderDiscovery {
        ReaderDiscovery(root: root, credentials: credentials)
    }

    // The folders are there for as long as these run.
    func connected(as credentials: Credentials? = nil) -> [ConnectedReader] {
        withExtendedLifetime(self) { discovery(as: credentials).connected() }
    }

    func survey(as credentials: Credentials? = nil) -> ReaderSurvey {
        withExtendedLifetime(self) { discovery(as: credentials).surveyBlocking() }
    }

    func serialPorts(as credentials: Credentials? = nil) -> [SerialPort] {
        withExtendedLifetime(self) { discovery(as: credentials).serialPorts() }
    }

    private func make(_ folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(root)/\(folder)", withIntermediateDirectories: true)
    }

    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(root)/\(path)"))
    }
}
