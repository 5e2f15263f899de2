import Foundation
import TestSupport

/// A device as `umockdev-record` describes it. The fixtures that libumockdev plays are also read
/// here, to make folders of them.
struct DeviceDescription {
    let path: String
    var node: String?
    var attributes: [(name: String, value: String)] = []
    var links: [(name: String, target: String)] = []
    var subsystem = ""

    var name: String { path.split(separator: "/").last.map(String.init) ?? "" }

    static let folder = URL(filePath: Repository.path("fixtures/usb"))

    struct Unreadable: Error {
        let line: String
    }

    static func devices(in fixture: String) throws -> [DeviceDescription] {
        let text = try String(
            contentsOf: folder.appending(path: "\(fixture).umockdev"), encoding: .utf8)
        var devices: [DeviceDescription] = []
        for line in text.split(separator: "\n") {
            let value = String(line.dropFirst(3))
            let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
            if line.hasPrefix("P: ") {
                devices.append(DeviceDescription(path: value))
                continue
            }
            guard !devices.isEmpty, let name = parts.first else { throw Unreadable(line: value) }
            let last = devices.count - 1
            switch line.prefix(3) {
            case "N: ": devices[last].node = name
            case "E: ": if name == "SUBSYSTEM" { devices[last].subsystem = parts[1] }
            case "A: ": devices[last].attributes.append((name, parts[1]))
            case "L: ": devices[last].links.append((name, parts[1]))
            // The descriptors in hexadecimal: only libusb reads them.
            case "H: ": break
            default: throw Unreadable(line: String(line))
            }
        }
        return devices
    }
}
