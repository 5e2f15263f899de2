import Foundation
import ReaderDiagnosis
import TestSupport
import Testing

@Suite("The rules for udev")
struct UdevRuleTests {
    private static let folder = URL(filePath: Repository.path("udev"))

    private static let debian = "/lib/udev/rules.d/93-pn53x.rules"

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    /// Parsed once for all readers.
    private static let rules = Result { try UdevRules(text("60-tapcard-readers.rules")) }

    private static func outcome(
        _ device: UdevRules.Device
    ) throws -> UdevRules.Outcome {
        try rules.get().outcome(for: device)
    }

    private static func device(_ model: ReaderModel) -> UdevRules.Device {
        UdevRules.Device(
            subsystem: "usb", environment: ["DEVTYPE": "usb_device"],
            attributes: numbers(of: model))
    }

    private static func numbers(of model: ReaderModel) -> [String: String] {
        [
            "idVendor": ReaderModel.hexadecimal(model.vendor),
            "idProduct": ReaderModel.hexadecimal(model.product),
        ]
    }

    @Test("The rules give access to every usable reader in the table and to no other")
    func table() throws {
        let given = UdevRules.Outcome(tags: ["uaccess"], group: "plugdev", mode: "0660")
        for model in KnownReaders.all {
            let isGiven =
                switch model.service {
                case .libnfc, .smartCard: true
                case .serialBridge, .unsupported: false
                }
            let outcome = try Self.outcome(Self.device(model))
            #expect(outcome == (isGiven ? given : UdevRules.Outcome()), "\(model.make)")
        }
    }

    @Test("A serial bridge's port is given to the user at the seat and keeps its group")
    func ports() throws {
        for model in KnownReaders.all where model.service == .serialBridge {
            let port = UdevRules.Device(
                subsystem: "tty", parent: Self.numbers(of: model))
            #expect(try Self.outcome(port) == UdevRules.Outcome(tags: ["uaccess"]))
        }
        let other = UdevRules.Device(
            subsystem: "tty", parent: ["idVendor": "2341", "idProduct": "0043"])
        #expect(try Self.outcome(other) == UdevRules.Outcome())
    }

    @Test("A reader that leaves, its interfaces and other devices with its numbers are left alone")
    func others() throws {
        let model = try #require(KnownReaders.all.first)
        var device = Self.device(model)
        device.action = "remove"
        #expect(try Self.outcome(device) == UdevRules.Outcome())
        device = Self.device(model)
        device.environment["DEVTYPE"] = "usb_interface"
        #expect(try Self.outcome(device) == UdevRules.Outcome())
        device = Self.device(model)
        device.subsystem = "hidraw"
        #expect(try Self.outcome(device) == UdevRules.Outcome())
        device = Self.device(model)
        device.action = "change"
        #expect(try Self.outcome(device).tags == ["uaccess"])
    }

    @Test("The rules name only the numbers in the table, and each of them once")
    func nothingElse() throws {
        let pairs = try Self.text("60-tapcard-readers.rules").matches(
            of: /ATTRS?\{idVendor\}=="([0-9a-f]{4})", ATTRS?\{idProduct\}=="([0-9a-f]{4})"/
        ).map { "\($0.output.1):\($0.output.2)" }
        #expect(Set(pairs).count == pairs.count)
        #expect(Set(pairs).isSubset(of: KnownReaders.all.map(\.numbers)))
    }

    @Test(
        "Readers that Debian's libnfc gives access to are in the rules, too",
        .enabled(if: FileManager.default.fileExists(atPath: debian)))
    func debianRules() throws {
        let text = try String(contentsOfFile: Self.debian, encoding: .utf8)
        let pairs = text.matches(
            of: /ATTRS\{idVendor\}=="([0-9a-f]{4})", ATTRS\{idProduct\}=="([0-9a-f]{4})"/)
        #expect(pairs.count >= 9)
        for pair in pairs {
            var device = UdevRules.Device(
                subsystem: "usb", environment: ["DEVTYPE": "usb_device"])
            device.attributes = [
                "idVendor": String(pair.output.1), "idProduct": String(pair.output.2),
            ]
            #expect(try Self.outcome(device).tags == ["uaccess"], "\(pair.output.0)")
        }
    }

    @Test("The rules sort before logind's, so that uaccess is set in time")
    func number() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let rules = names.filter { $0.hasSuffix(".rules") }
        #expect(rules.count == 1)
        #expect(rules.allSatisfy { $0.prefix(2) < "73" })
    }

    @Test("The kernel's NFC drivers are blacklisted")
    func modules() throws {
        let lines = try Self.text("tapcard-pn533.conf").split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
        #expect(lines == ["blacklist pn533_usb", "blacklist pn533", "blacklist nfc"])
    }

    @Test(
        "A mistake in a rule is refused",
        arguments: [
            #"ATTR{idVendor}="072f", GROUP=="plugdev""#, #"GOTO="nowhere""#,
            #"TAG+="uaccess" MODE="0660""#, #"SUBSYSTEMS!="usb", TAG+="uaccess""#,
            #"TAG+=“uaccess”"#,
        ])
    func slips(_ line: String) {
        #expect(throws: UdevRules.Refused.self) {
            try UdevRules(line).outcome(for: UdevRules.Device(subsystem: "usb"))
        }
    }

    @Test("The target install-udev installs both files, and uninstall-udev removes them")
    func install() throws {
        let root = NSTemporaryDirectory() + "tapcard-udev-\(UUID().uuidString)"
        // Files that stay in the folder for temporary files do no harm.
        defer { try? FileManager.default.removeItem(atPath: root) }
        let installed = [
            "/etc/udev/rules.d/60-tapcard-readers.rules", "/etc/modprobe.d/tapcard-pn533.conf",
        ]
        try Self.make("install-udev", below: root)
        for path in installed {
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let text = try String(contentsOfFile: root + path, encoding: .utf8)
            #expect(try text == Self.text(name))
            let mode = try FileManager.default.attributesOfItem(atPath: root + path)
            #expect((mode[.posixPermissions] as? NSNumber)?.intValue == 0o644)
        }
        try Self.make("uninstall-udev", below: root)
        for path in installed { #expect(!FileManager.default.fileExists(atPath: root + path)) }
    }

    private static func make(_ target: String, below root: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/make")
        process.currentDirectoryURL = folder.deletingLastPathComponent()
        process.arguments = ["--silent", target, "DESTDIR=\(root)"]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
